import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAbsent } from '../../../test/harness/requirements.ts'
import { runCommand } from '../../../test/harness/run-command.ts'
import { startTokenSpy, terraformInit } from '../../../test/harness/terraform-init.ts'
import { startTinyServer } from '../../../test/harness/tiny-server.ts'
import { writeClientFiles } from '../../main/client-files.ts'
import { envCommand } from '../commands/env.ts'

let home: string
let dataDir: string
let server: Awaited<ReturnType<typeof startTinyServer>>

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'terrane env-'))
  dataDir = join(home, "data of o'neil")
  server = await startTinyServer({ token: 'ours', organizations: ['acme', 'other'] })
  await writeClientFiles({ dataDir, publicUrl: server.url, token: 'ours' })
})
afterEach(async () => {
  await server.close()
  await rm(home, { recursive: true, force: true })
})

const run = (args: string[], env: Record<string, string> = {}) =>
  runCommand(envCommand, args, { HOME: home, TERRANE_DATA: dataDir, ...env })
const modeOf = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8)

/** The variables as a shell has them after `eval "$(terrane env)"`. */
const evaluate = async (script: string): Promise<Record<string, string>> => {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', 'eval "$1"; env', 'sh', script], { env: {} })
  return Object.fromEntries(stdout.split('\n').flatMap((line) => (line.includes('=') ? [line.split(/=(.*)/s) as [string, string]] : [])))
}

/** Which tokens terraform sends where, with a cloud block that names `host`. */
const terraformSends = async (host: string, env: Record<string, string>, spy: { seen: Set<string> }): Promise<string[]> => {
  const work = await mkdtemp(join(home, 'work-'))
  const cloud = `cloud {\n    hostname = "${host}"\n    organization = "o"\n    workspaces { name = "w" }\n  }`
  await writeFile(join(work, 'main.tf'), `terraform {\n  ${cloud}\n}\n`)
  spy.seen.clear()
  const { output } = await terraformInit(work, { HOME: home, ...env })
  expect(output).not.toContain('CLI configuration')
  return [...spy.seen].filter((line) => line.includes('/ping'))
}

const spyBlock = (host: string, url: string): string =>
  `host "${host}" {\n  services = { "tfe.v2" = "${url}/theirs/" }\n}\ncredentials "${host}" {\n  token = "theirs"\n}\n`

describe('terrane env', () => {
  it('prints variables that survive the shell, and a private file behind them', async () => {
    const { code, stdout, stderr } = await run([])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const variables = await evaluate(stdout)
    expect(variables).toMatchObject({
      TF_CLI_CONFIG_FILE: join(dataDir, 'env.tfrc'),
      TF_CLOUD_HOSTNAME: 'localhost',
      TF_CLOUD_ORGANIZATION: 'acme',
    })
    expect(await modeOf(join(dataDir, 'env.tfrc'))).toBe('600')
    expect(stdout).not.toContain('ours')
    expect(JSON.parse((await run(['--json'])).stdout)).toMatchObject({ TF_CLOUD_ORGANIZATION: 'acme' })
  })

  it('leaves the organization out while the server is down, and says so', async () => {
    await server.close()
    const { code, stdout, stderr } = await run([])
    expect(code).toBe(0)
    expect(stdout).not.toContain('TF_CLOUD_ORGANIZATION')
    expect(stderr).toMatch(/TF_CLOUD_ORGANIZATION is left out: .* does not answer/)
  })

  it.each([
    ['a token that the server does not know', 'strange', /answered 401/],
    ['no token', undefined, /answered 401/],
  ])('leaves it out with %s', async (_, token, text) => {
    await rm(join(dataDir, 'admin.token'))
    await writeClientFiles({ dataDir, publicUrl: server.url, token })
    expect((await run([])).stderr).toMatch(text)
  })

  it.skipIf(isAbsent('terraform'))("keeps what the user's own files say, for the real terraform, and tells", async () => {
    const spy = await startTokenSpy()
    try {
      await writeClientFiles({ dataDir, publicUrl: spy.url, token: 'ours' })
      await mkdir(join(home, 'cache'))
      await writeFile(join(home, '.terraformrc'), `plugin_cache_dir = "${home}/cache"\n${spyBlock('tfe.example', spy.url)}`)
      const { stdout, stderr } = await run([])
      expect(stderr).toContain(`carried over from ${home}/.terraformrc: plugin_cache_dir, host tfe.example, credentials tfe.example`)
      const variables = await evaluate(stdout)
      expect(await terraformSends('localhost', variables, spy)).toEqual(['/api/v2/ping Bearer ours'])
      expect(await terraformSends('tfe.example', variables, spy)).toEqual(['/theirs/ping Bearer theirs'])
      expect(await readFile(join(dataDir, 'env.tfrc'), 'utf8')).toContain(`plugin_cache_dir = "${home}/cache"`)
    } finally {
      await spy.close()
    }
  })

  it('keeps the file that TF_CLI_CONFIG_FILE named, also at the second call in the same shell', async () => {
    const mine = join(home, 'mine.rc')
    await writeFile(mine, 'credentials "a.example" { token = "theirs" }\n')
    await writeFile(join(home, '.terraformrc'), 'credentials "b.example" { token = "unused" }\n')
    const first = await evaluate((await run([], { TF_CLI_CONFIG_FILE: mine })).stdout)
    const second = await evaluate((await run([], first)).stdout)
    expect(second).toEqual(first)
    const text = await readFile(join(dataDir, 'env.tfrc'), 'utf8')
    expect(text.match(/a\.example/g)).toHaveLength(1)
    expect(text).not.toContain('b.example')
  })

  it("makes terraform trust the server's authority beside the user's", async () => {
    await writeFile(join(home, 'corporate.pem'), 'CORPORATE\n')
    await writeClientFiles({ dataDir, publicUrl: server.url, token: 'ours', caPem: 'OURS\n' })
    const first = await evaluate((await run([], { SSL_CERT_FILE: join(home, 'corporate.pem') })).stdout)
    expect(await readFile(first['SSL_CERT_FILE'] ?? '', 'utf8')).toBe('OURS\n\nCORPORATE\n')
  })
})

describe('terrane env --install', () => {
  it.skipIf(isAbsent('terraform'))("writes a file that the real terraform merges with the user's", async () => {
    const spy = await startTokenSpy()
    try {
      await writeClientFiles({ dataDir, publicUrl: spy.url, token: 'ours' })
      await mkdir(join(home, '.terraform.d'))
      await writeFile(
        join(home, '.terraform.d/credentials.tfrc.json'),
        JSON.stringify({ credentials: { 'tfe.example': { token: 'theirs' } } }),
      )
      await writeFile(join(home, '.terraformrc'), `host "tfe.example" {\n  services = { "tfe.v2" = "${spy.url}/theirs/" }\n}\n`)
      const { code, stdout } = await run(['--install'])
      const file = join(home, '.terraform.d/terrane.tfrc')
      expect({ code, stdout }).toEqual({ code: 0, stdout: `wrote ${file}\n` })
      expect(await modeOf(file)).toBe('600')
      expect(await terraformSends('localhost', {}, spy)).toEqual(['/api/v2/ping Bearer ours'])
      expect(await terraformSends('tfe.example', {}, spy)).toEqual(['/theirs/ping Bearer theirs'])

      expect((await run(['--remove'])).stdout).toBe(`removed ${file}\n`)
      await expect(stat(file)).rejects.toThrow('ENOENT')
      expect(await terraformSends('tfe.example', {}, spy)).toEqual(['/theirs/ping Bearer theirs'])
      expect(await run(['--remove'])).toMatchObject({ code: 0, stdout: `${file} does not exist: nothing to remove\n` })
    } finally {
      await spy.close()
    }
  })

  it('says that terraform will not read it while TF_CLI_CONFIG_FILE is set', async () => {
    const { code, stderr } = await run(['--install'], { TF_CLI_CONFIG_FILE: '/etc/mine.rc' })
    expect(code).toBe(0)
    expect(stderr).toContain('TF_CLI_CONFIG_FILE is set (/etc/mine.rc)')
    expect(stderr).toContain('hostname = "localhost", organization = "acme"')
  })
})
