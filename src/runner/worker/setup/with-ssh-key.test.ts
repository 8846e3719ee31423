import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest'
import { expectSucceeded } from '../../../../test/contract/runner-driver.ts'
import { isAbsent } from '../../../../test/harness/requirements.ts'
import { newRepository, newSshKey, startSshServer, type SshServer } from '../../../../test/harness/ssh-server.ts'
import { makeWorkbench, type Workbench } from '../../../../test/harness/worker.ts'
import { Phase, StepOutcome, VariableCategory } from '../../gen/runner/v1/runner.ts'
import { withSshKey } from './with-ssh-key.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ssh key '))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

describe('the key file', () => {
  const pathsOf = (name: string) => ({ sshKey: join(directory, name), knownHosts: join(directory, 'known-hosts') })

  it('is for its owner alone, ends with a line, and is gone when the work is done', async () => {
    const paths = pathsOf('key')
    await withSshKey(paths, 'line one\r\nline two', undefined, async (environment) => {
      expect((await stat(paths.sshKey)).mode & 0o777).toBe(0o600)
      expect(await readFile(paths.sshKey, 'utf8')).toBe('line one\nline two\n')
      expect(environment['GIT_SSH_COMMAND']).toContain(`-i '${paths.sshKey}'`)
      expect(environment['GIT_SSH_COMMAND']).not.toContain('line one')
    })
    await expect(stat(paths.sshKey)).rejects.toThrow('ENOENT')
  })

  it('is gone when the work fails as well, and replaces what was left in its place', async () => {
    const paths = pathsOf('left')
    await writeFile(paths.sshKey, 'old')
    const failing = withSshKey(paths, 'new', undefined, async () => {
      expect(await readFile(paths.sshKey, 'utf8')).toBe('new\n')
      throw new Error('failed')
    })
    await expect(failing).rejects.toThrow('failed')
    await expect(stat(paths.sshKey)).rejects.toThrow('ENOENT')
  })

  it('does not exist without a key, and the environment stays as it is', async () => {
    const paths = pathsOf('none')
    expect(await withSshKey(paths, '', undefined, async (environment) => environment)).toEqual({})
    await expect(stat(paths.sshKey)).rejects.toThrow('ENOENT')
  })
})

describe.skipIf(isAbsent('sshd') || isAbsent('terraform'))('init with a module in git, over a real sshd', () => {
  let home: string
  let server: SshServer
  let bench: Workbench
  let privateKey: string
  let otherKey: string
  let files: Record<string, string>
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'ssh-'))
    const key = await newSshKey(home, 'right')
    privateKey = key.privateKey
    otherKey = (await newSshKey(home, 'wrong')).privateKey
    server = await startSshServer(home, key.publicKey)
    const repository = await newRepository(home, { 'main.tf': 'output "greeting" {\n  value = "hello from git"\n}\n' })
    const source = `git::ssh://${server.address}${repository}`
    files = { 'main.tf': `module "m" {\n  source = ${JSON.stringify(source)}\n}\noutput "g" {\n  value = module.m.greeting\n}\n` }
  })
  afterAll(async () => {
    await server.stop()
    await rm(home, { recursive: true, force: true })
  })
  beforeEach(async () => {
    bench = await makeWorkbench()
  })
  afterEach(() => bench.close())

  it('fetches it, and the key is in no log and no file afterwards', async () => {
    const { driver, paths } = await bench.open(Phase.PLAN, files)
    expectSucceeded(await driver.prepare({ sshPrivateKey: privateKey }))
    const initialised = await driver.init()
    expectSucceeded(initialised)
    const planned = await driver.plan()
    expectSucceeded(planned)
    expect(planned.log).toContain('hello from git')
    await expect(stat(paths.sshKey)).rejects.toThrow('ENOENT')
    const line = privateKey.split('\n').at(2) ?? ''
    expect(line.length).toBeGreaterThan(20)
    expect(initialised.log + planned.log).not.toContain(line)
    await driver.shutdown()
  })

  it.each([
    ['the wrong key', () => otherKey],
    ['no key', () => ''],
  ])('fails with %s, and says why', async (_, key) => {
    const { driver } = await bench.open(Phase.PLAN, files)
    expectSucceeded(await driver.prepare({ sshPrivateKey: key() }))
    const { result, log } = await driver.init()
    expect(result.outcome).toBe(StepOutcome.FAILED)
    expect(log).toMatch(/Permission denied|Host key verification failed/)
    await driver.shutdown()
  })

  it('is not used where a variable of the workspace arranges ssh', async () => {
    const { driver } = await bench.open(Phase.PLAN, files)
    const own = { key: 'GIT_SSH_COMMAND', value: 'false', hcl: false, sensitive: false, category: VariableCategory.ENV }
    const prepared = await driver.prepare({ sshPrivateKey: privateKey, variables: [own] })
    expectSucceeded(prepared)
    expect(prepared.notices.join()).toContain('GIT_SSH_COMMAND')
    expect((await driver.init()).result.outcome).toBe(StepOutcome.FAILED)
    await driver.shutdown()
  })
})
