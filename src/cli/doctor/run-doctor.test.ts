import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAbsent } from '../../../test/harness/requirements.ts'
import { runCommand } from '../../../test/harness/run-command.ts'
import { startTinyServer } from '../../../test/harness/tiny-server.ts'
import { writeClientFiles } from '../../main/client-files.ts'
import { doctorCommand } from '../commands/doctor.ts'
import { runChecks } from './run-checks.ts'

let dataDir: string
let server: Awaited<ReturnType<typeof startTinyServer>>
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'doctor-'))
  server = await startTinyServer({ token: 'ours', organizations: [] })
  await writeClientFiles({ dataDir, publicUrl: server.url, token: 'ours' })
})
afterEach(async () => {
  await server.close()
  await rm(dataDir, { recursive: true, force: true })
})

const path = process.env['PATH'] ?? ''
const run = (args: string[] = [], env: Record<string, string> = {}) =>
  runCommand(doctorCommand, ['--data', dataDir, ...args], { PATH: path, ...env })

describe('terrane doctor', () => {
  it.skipIf(isAbsent('terraform'))('is content with a running server and terraform on PATH', async () => {
    const { code, stdout } = await run()
    expect(stdout.trimEnd().split('\n')).toEqual([
      `✓ Node.js: ${process.versions.node}`,
      expect.stringMatching(/^✓ terraform: \d+\.\d+\.\d+/),
      `✓ data directory: ${dataDir}`,
      `✓ admin token: ${join(dataDir, 'admin.token')}`,
      `✓ server: ${server.url} answers 204`,
      '✓ terraform configuration: TF_CLI_CONFIG_FILE is not set',
      expect.stringMatching(/^✓ disk: [\d.]+ GiB free$/),
    ])
    expect(code).toBe(0)
  })

  it('says of everything that is wrong what to do', async () => {
    await server.close()
    await chmod(dataDir, 0o755)
    await chmod(join(dataDir, 'admin.token'), 0o644)
    const { code, stdout } = await run([], { PATH: '/nonexistent', TF_CLI_CONFIG_FILE: '/nonexistent/rc' })
    expect(code).toBe(1)
    expect(stdout).toContain('✗ terraform: not on PATH. Install terraform')
    expect(stdout).toContain(`✗ data directory: ${dataDir}. Other users can enter it. Run: chmod 700`)
    expect(stdout).toMatch(/✗ admin token: .*chmod 600/)
    expect(stdout).toMatch(/✗ server: .* does not answer \(.*ECONNREFUSED.*\)\. Start it: terrane server --data/)
    expect(stdout).toMatch(/✗ terraform configuration: .*not readable.*eval "\$\(terrane env\)"/)
  })

  it('knows a terraform that does not work, and an old Node.js', async () => {
    await symlink('/bin/false', join(dataDir, 'terraform'))
    const results = await runChecks({ dataDir, env: { PATH: dataDir }, nodeVersion: '18.20.0' })
    expect(results.filter(({ advice }) => advice !== undefined)).toEqual([
      { name: 'Node.js', found: '18.20.0', advice: 'Install Node.js 20.19 or later.' },
      { name: 'terraform', found: 'does not start', advice: expect.stringContaining('Install') },
    ])
  })

  it('is content with tofu alone', async () => {
    await writeFile(join(dataDir, 'tofu'), '#!/bin/sh\necho \'{"terraform_version": "1.12.6"}\'\n', { mode: 0o755 })
    const results = await runChecks({ dataDir, env: { PATH: dataDir }, nodeVersion: '20.20.0' })
    expect(results).toContainEqual({ name: 'tofu', found: '1.12.6' })
  })

  it('tells programs the same', async () => {
    await writeFile(join(dataDir, 'terraform.rc'), 'host "x" {')
    const { code, stdout } = await run(['--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      checks: expect.arrayContaining([{ name: 'server', found: 'no server has run yet', ok: false, advice: expect.any(String) }]),
    })
  })
})
