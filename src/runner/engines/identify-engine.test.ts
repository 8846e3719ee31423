import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { identifyEngine } from './identify-engine.ts'

let file: string
let scratch: string

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'identify-engine-'))
  file = join(scratch, 'some name')
})

afterEach(() => rm(scratch, { recursive: true, force: true }))

const print = async (text: string): Promise<void> => {
  await writeFile(file, `#!/bin/sh\necho '${text}'\n`)
  await chmod(file, 0o755)
}

describe('identifyEngine', () => {
  it('goes by what a program says of itself, whatever its file is called', async () => {
    await print('OpenTofu v1.12.6\non linux_amd64')
    expect(await identifyEngine(file)).toEqual({ engine: 'tofu', version: '1.12.6' })
    await print('Terraform v1.11.0-beta1\non linux_amd64\n+ provider registry.terraform.io/hashicorp/null v3.2.4')
    expect(await identifyEngine(file)).toEqual({ engine: 'terraform', version: '1.11.0-beta1' })
  })

  it('refuses other programs, and what is none', async () => {
    await print('GNU bash, version 5.2')
    await expect(identifyEngine(file)).rejects.toThrow(/is neither terraform nor tofu: its version begins "GNU bash/)
    await writeFile(file, 'no program')
    await chmod(file, 0o644)
    await expect(identifyEngine(file)).rejects.toMatchObject({
      code: 'INVALID',
      detail: expect.stringContaining('does not tell its version'),
    })
  })
})
