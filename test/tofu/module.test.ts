import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { go } from '../conformance/go.ts'

const here = fileURLToPath(new URL('.', import.meta.url))

const replacements = async (directory: string): Promise<string[]> =>
  [...(await readFile(join(directory, 'go.mod'), 'utf8')).matchAll(/^replace .*$/gm)].map(([line]) => line).toSorted()

describe('go.mod', () => {
  it('repeats the replacements of OpenTofu, which count in the main module only', async () => {
    const theirs = await replacements(await go(here, 'list', '-m', '-f', '{{.Dir}}', 'github.com/opentofu/opentofu'))
    expect(await replacements(here)).toEqual(theirs)
  })
})
