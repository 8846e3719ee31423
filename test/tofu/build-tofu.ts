import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiled } from '../conformance/go.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const cache = fileURLToPath(new URL('../../.cache/tofu', import.meta.url))
const MODULE = 'github.com/opentofu/opentofu'

/** OpenTofu as released, compiled from its Go module: path of an executable called `tofu`, kept in .cache/tofu. */
export const buildTofu = (): Promise<string> =>
  compiled(
    (hash) => join(cache, hash, 'tofu'),
    here,
    ['go.mod', 'go.sum'],
    [
      'build',
      '-trimpath',
      // Without the mark of a development build, as releases are made.
      `-ldflags=-s -w -X ${MODULE}/version.dev=no`,
      `${MODULE}/cmd/tofu`,
    ],
  )
