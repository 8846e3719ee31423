import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { serverOfFile } from '../harness/terrane-server.ts'
import { type CheckingProxy, startCheckingProxy } from './checking-proxy.ts'
import type { ClientTest } from './client-tests.ts'
import { type Mode, readAllowed, readReasons } from './lists.ts'
import { runClientTest } from './run-client-test.ts'

const ALLOWED_TIMEOUT_MS = 150_000
/** A test that is not expected to pass gets less: some of them wait two minutes for what will not come. */
const OTHER_TIMEOUT_MS = 30_000
/** Renames the user whom all others use. */
const ALONE: readonly string[] = ['TestUsersUpdate']

const appNames = { cloud: 'HCP Terraform', enterprise: 'Terraform Enterprise' }
const adminRoles = [
  'SITE_ADMIN',
  'CONFIGURATION',
  'PROVISION_LICENSES',
  'SUBSCRIPTION',
  'SUPPORT',
  'SECURITY_MAINTENANCE',
  'VERSION_MAINTENANCE',
]

/**
 * The tests of go-tfe against a server of the bundle: those of the mode's list must pass; of the others those of P0, or of the areas in
 * TERRANE_CONFORMANCE_AREAS (`projects,tags`), are tried, and reported when they pass.
 */
export const describeMode = async (mode: Mode): Promise<void> => {
  const suite = inject('suite')
  const allowed = await readAllowed(mode)
  const reasons = await readReasons()
  const wantedAreas = process.env['TERRANE_CONFORMANCE_AREAS']?.split(',')
  const tests = (suite?.tests ?? []).filter((test) => canRun(test, mode))
  const isWanted = ({ area, priority }: ClientTest): boolean => (wantedAreas === undefined ? priority === 'P0' : wantedAreas.includes(area))
  const others = tests.filter((test) => isWanted(test) && !allowed.includes(test.name))

  describe.skipIf(suite === undefined)(`a server in mode ${mode}`, () => {
    if (suite === undefined) return
    const server = serverOfFile({ args: ['--app-name', appNames[mode], '--engine-cli-config', suite.cliConfigFile] })
    let env: Record<string, string>
    let workingDirectory: string
    let proxy: CheckingProxy | undefined
    afterAll(() => proxy?.close())
    beforeAll(async () => {
      proxy = await startCheckingProxy(server().url)
      // one of the tests writes into the fixtures, and the modes run at the same time
      workingDirectory = join(server().directory, 'client')
      await cp(join(suite.workingDirectory, 'test-fixtures'), join(workingDirectory, 'test-fixtures'), {
        recursive: true,
        preserveTimestamps: true,
      })
      const token = (await readFile(join(server().dataDir, 'admin.token'), 'utf8')).trim()
      env = {
        HOME: server().directory,
        TFE_ADDRESS: proxy.url,
        TFE_TOKEN: token,
        ...(mode === 'enterprise' ? { ENABLE_TFE: '1' } : {}),
        ...Object.fromEntries(adminRoles.map((role) => [`TFE_ADMIN_${role}_TOKEN`, token])),
      }
    })
    const run = (name: string, timeoutMs: number) => runClientTest({ ...suite, workingDirectory }, name, env, timeoutMs)

    describe.concurrent('listed tests pass', () => {
      it.for(allowed.filter((name) => !ALONE.includes(name)))('%s', async (name) => {
        expect(await run(name, ALLOWED_TIMEOUT_MS)).toEqual({ status: 'passed', output: '' })
      })
    })

    describe('listed tests pass, alone on the server', () => {
      it.for(allowed.filter((name) => ALONE.includes(name)))('%s', async (name) => {
        expect(await run(name, ALLOWED_TIMEOUT_MS)).toEqual({ status: 'passed', output: '' })
      })
    })

    describe.concurrent('other tests', () => {
      it.for(others.map(({ name }) => name))('%s', async (name, { skip }) => {
        const { status } = await run(name, OTHER_TIMEOUT_MS)
        if (status !== 'passed') skip(reasons.get(name))
        expect(status).toBe('passed')
        console.log(`${mode}: ${name} passes: add it to allowed-${mode}.txt`)
      })
    })

    it('no request was answered with a fault of the server', () => {
      const requests = server()
        .stderr()
        .split('\n')
        .flatMap((line) => (line.includes('"msg":"request"') ? JSON.parse(line) : []) as { status: number }[])
      expect(requests.length).toBeGreaterThan(0)
      expect(requests.filter(({ status }) => status >= 500)).toEqual([])
    })

    it('every answer was what the OpenAPI document says', () => {
      expect(proxy?.complaints()).toEqual([])
    })

    it('every test of P0 is listed or has a reason', () => {
      const core = tests.filter(({ priority }) => priority === 'P0').map(({ name }) => name)
      const missing = core.filter((name) => !allowed.includes(name))
      console.log(`${mode}: ${core.length - missing.length} of the ${core.length} tests of P0 that need nothing but a server are listed`)
      expect(missing.filter((name) => !reasons.has(name))).toEqual([])
    })
  })
}

/** Whether all that the test needs is a server of this mode. */
const canRun = ({ needs }: ClientTest, mode: Mode): boolean => {
  const given = mode === 'cloud' ? 'ENABLE_TFE=0' : 'ENABLE_TFE=1'
  return needs.every((need) => need === given)
}
