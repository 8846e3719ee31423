import { fileURLToPath } from 'node:url'
import { cached, go } from './go.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const MODULE = 'github.com/hashicorp/go-tfe'

/** The client's own test suite, unmodified, compiled from the Go module cache. */
export const buildClient = async (): Promise<{ directory: string; version: string; binary: string }> => {
  await go(here, 'mod', 'download', MODULE)
  const [directory = '', version = ''] = (await go(here, 'list', '-m', '-f', '{{.Dir}}\t{{.Version}}', MODULE)).split('\t')
  return { directory, version, binary: await cached('go-tfe.test', here, ['go.mod', 'go.sum'], 'test', '-c', MODULE) }
}
