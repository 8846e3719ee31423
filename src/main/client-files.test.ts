import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAbsent } from '../../test/harness/requirements.ts'
import { startTokenSpy, terraformInit } from '../../test/harness/terraform-init.ts'
import { readServerFiles } from '../cli/server-files.ts'
import { terraformHostname, writeClientFiles } from './client-files.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'client-files-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const modeOf = async (name: string): Promise<string> => ((await stat(join(dataDir, name))).mode & 0o777).toString(8)
const publicUrl = 'http://127.0.0.1:8080'

describe('terraformHostname', () => {
  it.each([
    ['http://127.0.0.1:8080', 'localhost'],
    ['http://localhost:8080', 'localhost'],
    ['http://[::1]:8080', 'localhost'],
    ['https://localhost:8443', 'localhost:8443'],
    ['https://tf.example.com', 'tf.example.com'],
    ['http://tf.lan:8080', 'tf.lan:8080'],
  ])('%s is %s', (url, hostname) => expect(terraformHostname(url)).toBe(hostname))
})

describe('writeClientFiles', () => {
  it('writes token, configuration and authority with their modes, also over files with others', async () => {
    await writeFile(join(dataDir, 'terraform.rc'), 'old', { mode: 0o644 })
    await writeFile(join(dataDir, 'admin.token'), 'old', { mode: 0o644 })
    expect(await writeClientFiles({ dataDir, publicUrl: 'https://localhost:8443', token: 'abc', caPem: 'PEM\n' })).toEqual({
      hostname: 'localhost:8443',
    })
    expect(await readFile(join(dataDir, 'admin.token'), 'utf8')).toBe('abc\n')
    expect([await modeOf('admin.token'), await modeOf('terraform.rc'), await modeOf('ca.pem')]).toEqual(['600', '600', '644'])
    expect(await readServerFiles(dataDir)).toMatchObject({
      hostname: 'localhost:8443',
      url: 'https://localhost:8443',
      token: 'abc',
      caPem: 'PEM\n',
    })
  })

  it('keeps the first token at later starts, follows the URL, and drops an authority that is no longer used', async () => {
    await writeClientFiles({ dataDir, publicUrl: 'https://localhost:8443', token: 'abc', caPem: 'PEM\n' })
    await writeClientFiles({ dataDir, publicUrl, token: undefined })
    expect(await readServerFiles(dataDir)).toMatchObject({ hostname: 'localhost', url: publicUrl, token: 'abc', caPem: undefined })
  })

  it('leaves credentials out when the operator took the token away', async () => {
    await writeClientFiles({ dataDir, publicUrl, token: undefined })
    expect(await readServerFiles(dataDir)).toMatchObject({ url: publicUrl, token: undefined })
    await expect(stat(join(dataDir, 'admin.token'))).rejects.toThrow('ENOENT')
  })

  it.skipIf(isAbsent('terraform'))('makes the real terraform send the token to the mapped URL', async () => {
    const spy = await startTokenSpy()
    try {
      await writeClientFiles({ dataDir, publicUrl: spy.url, token: 'abc' })
      await writeFile(
        join(dataDir, 'main.tf'),
        'terraform {\n  cloud {\n    hostname = "localhost"\n    organization = "o"\n    workspaces { name = "w" }\n  }\n}\n',
      )
      const { output } = await terraformInit(dataDir, { HOME: dataDir, TF_CLI_CONFIG_FILE: join(dataDir, 'terraform.rc') })
      expect(output).not.toContain('CLI configuration')
      expect([...spy.seen]).toContain('/api/v2/ping Bearer abc')
    } finally {
      await spy.close()
    }
  })
})
