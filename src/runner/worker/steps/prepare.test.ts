import { chmod, lstat, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ENGINE, expectSucceeded, sha256, slugOf } from '../../../../test/contract/runner-driver.ts'
import { makeWorkbench, type Workbench } from '../../../../test/harness/worker.ts'
import {
  BlobKind,
  ErrorCode,
  LogFormat,
  Phase,
  ShowKind,
  StepOutcome,
  type Variable,
  VariableCategory,
} from '../../gen/runner/v1/runner.ts'

let bench: Workbench
beforeEach(async () => {
  bench = await makeWorkbench()
})
afterEach(async () => bench.close())

const tf = (key: string, value: string, rest: Partial<Variable> = {}): Variable => ({
  key,
  value,
  hcl: false,
  category: VariableCategory.TERRAFORM,
  sensitive: false,
  ...rest,
})
const env = (key: string, value: string, sensitive = false): Variable => tf(key, value, { category: VariableCategory.ENV, sensitive })

const BACKENDS = {
  cloud: 'terraform {\n  cloud {\n    hostname = "localhost.invalid"\n    organization = "o"\n    workspaces { name = "w" }\n  }\n}\n',
  remote:
    'terraform {\n  backend "remote" {\n    hostname = "localhost.invalid"\n    organization = "o"\n    workspaces { name = "w" }\n  }\n}\n',
  s3: 'terraform {\n  backend "s3" {\n    bucket = "b"\n    key = "k"\n    region = "eu-central-1"\n  }\n}\n',
  http: 'terraform {\n  backend "http" { address = "http://localhost.invalid/state" }\n}\n',
  local: 'terraform {\n  backend "local" { path = "/tmp/elsewhere.tfstate" }\n}\n',
  none: '',
}
const OVERRIDE = 'terraform {\n  backend "s3" {\n    bucket = "evil"\n    key = "k"\n    region = "eu-central-1"\n  }\n}\n'

describe('our backend', () => {
  it.each(Object.entries(BACKENDS))('replaces a %s block, also when the configuration overrides it last', async (_name, block) => {
    const files = {
      'main.tf': `${block}resource "terraform_data" "a" {}\n`,
      'zz_override.tf': OVERRIDE,
      'zzzz_terrane_override.tf': OVERRIDE,
      '~~~_override.tf': OVERRIDE,
      '.terraform/terraform.tfstate': '{"version":3,"serial":1,"lineage":"x","backend":{"type":"s3","config":{"bucket":"old"},"hash":1}}',
      '.terraform/environment': 'other-workspace',
      'terraform.tfstate': '{"version":4,"serial":99,"lineage":"stale","resources":[]}',
    }
    const { driver, paths } = await bench.readyToPlan(files)
    const { backend } = JSON.parse(await readFile(join(paths.work, '.terraform/terraform.tfstate'), 'utf8')) as {
      backend: { type: string; config: { path: string } }
    }
    expect(backend).toMatchObject({ type: 'local', config: { path: paths.stateFile } })
    expectSucceeded(await driver.plan())
    await driver.shutdown()
  })

  it('cannot be moved by arguments of the user', async () => {
    const { driver } = await bench.open(Phase.PLAN, { 'main.tf': 'resource "terraform_data" "a" {}' })
    expectSucceeded(await driver.prepare({ variables: [env('TF_CLI_ARGS_init', '-backend-config=path=/tmp/elsewhere.tfstate')] }))
    expect((await driver.init()).result).toMatchObject({ outcome: StepOutcome.FAILED, errors: [{ code: ErrorCode.CONFIG_INVALID }] })
    await driver.shutdown()
  })

  it('is written where the job may read but not change it', async () => {
    const { driver, paths } = await bench.open(Phase.PLAN, { 'main.tf': '' })
    expectSucceeded(await driver.prepare())
    expect((await stat(join(paths.work, 'zzzz_terrane_override.tf'))).mode & 0o777).toBe(0o444)
    expect((await stat(join(paths.work, 'terraform.tfvars'))).mode & 0o777).toBe(0o600)
    expect((await stat(paths.cliConfig)).mode & 0o777).toBe(0o600)
    expect((await stat(paths.private)).mode & 0o777).toBe(0o700)
    await driver.shutdown()
  })
})

describe('variables', () => {
  it('win over every file of the configuration, and HCL stays an expression', async () => {
    const { driver } = await bench.readyToPlan(
      {
        'main.tf': 'variable "a" {}\nvariable "b" { type = list(number) }\noutput "a" { value = var.a }\noutput "b" { value = var.b }\n',
        'terraform.tfvars': 'a = "from terraform.tfvars"\n',
        'zzzz.auto.tfvars': 'a = "from zzzz"\nb = [0]\n',
        '~.auto.tfvars.json': '{"a": "from json"}',
      },
      {
        prepare: {
          variables: [tf('a', 'ours "${x}"'), tf('b', '[1,\n 2]', { hcl: true }), tf('undeclared', 'x'), env('TF_VAR_a', 'from env')],
        },
      },
    )
    const plan = await driver.plan()
    expectSucceeded(plan)
    expect(plan.log).toContain('+ a = "ours \\"${x}\\""')
    expectSucceeded(await driver.show(ShowKind.PLAN_JSON))
    expect(JSON.parse((await driver.download(BlobKind.PLAN_JSON)).toString())).toMatchObject({
      variables: { a: { value: 'ours "${x}"' }, b: { value: [1, 2] } },
    })
    await driver.shutdown()
  })
})

describe('secrets', () => {
  it('do not reach a log, a file of ours or a provisioner, whatever prints them', async () => {
    process.env['WORKER_CANARY'] = 'canary-of-the-worker'
    const secret = 'sup3r "secret" <value>\nwith a second line'
    const command = String.raw`env; printf %s "$ENV_SECRET"; echo "$ENV_SECRET" | head -c 7; echo "$ENV_SECRET" | tail -c +8; echo "$ENV_SECRET" | base64 -w0; echo; cat ../home/cli.tfrc >&2; exit 3`
    const { driver, paths, runner } = await bench.readyToApply(
      {
        'main.tf': `variable "s" {}\nresource "terraform_data" "a" {\n  input = var.s\n  provisioner "local-exec" { command = ${JSON.stringify(command)} }\n}\n`,
      },
      {
        prepare: {
          variables: [tf('s', secret, { sensitive: true }), env('ENV_SECRET', secret, true), env('PUBLIC', 'public-value')],
          platformEnv: { TFC_RUN_ID: 'run-1' },
          cliConfig: 'credentials "app.example.com" {\n  token = "platform-token"\n}\n',
          redact: ['platform-token'],
        },
      },
    )
    delete process.env['WORKER_CANARY']
    const { log, result } = await driver.apply()
    expect(result.outcome).toBe(StepOutcome.FAILED)
    expect(log).toContain('PUBLIC=public-value')
    expect(log).toContain('TFC_RUN_ID=run-1')
    expect(log).not.toContain('TF_VAR_')
    expect(log).not.toContain('TF_CLI_ARGS')
    for (const leak of [
      'canary-of-the-worker',
      'sup3r',
      'with a second line',
      'platform-token',
      Buffer.from(secret).toString('base64').slice(0, 40),
      'PRIVATE',
      join(homedir(), '.terraformrc'),
    ]) {
      expect(log).not.toContain(leak)
      expect(JSON.stringify(result)).not.toContain(leak)
    }
    const spool = await readFile(join(paths.operations, '0003-apply.events'))
    expect(spool.includes('sup3r')).toBe(false)
    expect((await runner.status({ lease: driver.lease })).operations).toHaveLength(3)
  })

  it('are hidden in diagnostics that quote our variables file', async () => {
    const { driver } = await bench.readyToPlan(
      { 'main.tf': 'variable "n" { type = number }\nvariable "x" {}\n' },
      {
        prepare: {
          variables: [tf('n', 'not-a-number-secret', { sensitive: true }), tf('x', '[ "broken-secret", ', { hcl: true, sensitive: true })],
        },
      },
    )
    for (const logFormat of [LogFormat.TEXT, LogFormat.JSON]) {
      const { log, result } = await driver.plan({ logFormat })
      expect(result.outcome).toBe(StepOutcome.FAILED)
      expect(log).toContain('terraform.tfvars')
      expect(log + JSON.stringify(result)).not.toMatch(/not-a-number-secret|broken-secret/)
    }
    await driver.shutdown()
  })

  it('are in a file that an error names as people know it, beside the files of the user', async () => {
    const variables = [tf('n', 'ours')]
    const main = { 'main.tf': 'variable "n" { type = number }\n' }
    const cases: [Record<string, string>, string][] = [
      [main, 'on terraform.tfvars line 1:'],
      [{ ...main, 'terraform.tfvars': 'n = 1\n' }, 'on zzz_terraform.auto.tfvars line 1:'],
      [{ ...main, 'a.auto.tfvars.json': '{"n": 1}\n' }, 'on zzz_terraform.auto.tfvars line 1:'],
    ]
    for (const [files, place] of cases) {
      const { driver, paths } = await bench.readyToPlan(files, { prepare: { variables } })
      expect((await driver.plan()).log).toContain(place)
      for (const [name, text] of Object.entries(files)) expect(await readFile(join(paths.work, name), 'utf8')).toBe(text)
      await driver.shutdown()
    }
  })

  it('that are too short are named, values that are refused are not', async () => {
    const { driver } = await bench.open(Phase.PLAN, { 'main.tf': '' })
    const { notices } = await driver.prepare({ variables: [tf('pin', '123', { sensitive: true }), env('LD_PRELOAD', '/evil.so')] })
    expect(notices).toEqual([
      'The value of the sensitive variable pin is too short or too common to be hidden in logs.',
      'The environment variable LD_PRELOAD is not passed on: it is reserved.',
    ])
    await driver.shutdown()
  })
})

describe('prepare refuses', () => {
  const failing = async (
    slug: Record<string, string> | Buffer | undefined,
    request: Parameters<Awaited<ReturnType<typeof open>>['driver']['prepare']>[0] = {},
  ) => {
    const { driver } = await open(slug)
    const { result } = await driver.prepare(request)
    expect(result.outcome).toBe(StepOutcome.FAILED)
    await driver.shutdown()
    return result.errors
  }
  const open = async (slug: Record<string, string> | Buffer | undefined) => bench.open(Phase.PLAN, slug)

  it('no configuration, unless none is needed', async () => {
    expect(await failing(undefined)).toMatchObject([{ code: ErrorCode.NO_CONFIG }])
    expect(await failing({ 'README.md': '' })).toMatchObject([{ code: ErrorCode.NO_CONFIG }])
    expect(await failing({ 'main.tf': '' }, { workingDirectory: 'sub' })).toMatchObject([{ code: ErrorCode.NO_CONFIG }])
    const { driver } = await open(undefined)
    expectSucceeded(await driver.prepare({ allowEmptyConfig: true, workingDirectory: 'sub/dir' }))
    expectSucceeded(await driver.init())
    expect((await driver.plan({ mode: 2 })).result).toMatchObject({ outcome: StepOutcome.SUCCEEDED, hasChanges: false, exitCode: 0 })
    await driver.shutdown()
  })

  it('a hostile archive, naming entry and rule', async () => {
    expect(await failing(slugOf({ '../evil.tf': '' }))).toMatchObject([
      { code: ErrorCode.BAD_SLUG, message: 'The archive entry "../evil.tf" has ".." in its name.' },
    ])
    expect(await failing(Buffer.from('no archive'))).toMatchObject([{ code: ErrorCode.BAD_SLUG }])
  })

  it('an engine that is absent, broken or another version', async () => {
    const files = { 'main.tf': '' }
    expect(await failing(files, { engineVersion: '9.9.9' })).toMatchObject([
      { code: ErrorCode.ENGINE_UNAVAILABLE, message: expect.stringMatching(/9\.9\.9 cannot be used: it says that it is 1\./) },
    ])
    expect(await failing(files, { enginePath: '/nowhere/terraform' })).toMatchObject([{ code: ErrorCode.ENGINE_UNAVAILABLE }])
    expect(await failing(files, { enginePath: 'terraform' })).toMatchObject([{ code: ErrorCode.ENGINE_UNAVAILABLE }])
    expect(await failing(files, { enginePath: '/bin/false' })).toMatchObject([{ code: ErrorCode.ENGINE_UNAVAILABLE }])
  })

  it('a state that is none, and a directory that leads out', async () => {
    const { driver } = await open({ 'main.tf': '' })
    await driver.upload(BlobKind.STATE, Buffer.from('{"version":4'))
    expect((await driver.prepare()).result).toMatchObject({ outcome: StepOutcome.FAILED, errors: [{ code: ErrorCode.CONFIG_INVALID }] })
    await driver.shutdown()
    expect(await failing({ 'main.tf': '' }, { workingDirectory: '../..' })).toMatchObject([{ code: ErrorCode.BAD_SLUG }])
    expect(await failing({ 'main.tf': '' }, { variables: [tf('a b', '1')] })).toMatchObject([{ code: ErrorCode.CONFIG_INVALID }])
  })

  it('a run directory that somebody left', async () => {
    await mkdir(join(bench.workRoot, 'run-left'))
    await expect(bench.open(Phase.PLAN, undefined, { run: 'run-left' })).rejects.toThrow('exists already')
  })
})

describe('init', () => {
  const unreadable = { 'main.tf': 'module "m" {\n  source = "./m"\n}\n' }

  it('that fails tells why in the form of the log', async () => {
    for (const logFormat of [LogFormat.TEXT, LogFormat.JSON]) {
      const { driver } = await bench.open(Phase.PLAN, unreadable)
      expectSucceeded(await driver.prepare())
      const { log, result } = await driver.init({ logFormat })
      expect(result.errors.at(-1)).toMatchObject({ code: ErrorCode.INIT_FAILED, message: expect.stringContaining('Unreadable module') })
      const isJson = log.split('\n').every((line) => line === '' || line.startsWith('{'))
      expect(isJson).toBe(logFormat === LogFormat.JSON)
      expect(log).toContain(isJson ? '"type":"diagnostic"' : '│ Error: Unreadable module directory')
      await driver.shutdown()
    }
  })

  it('of an engine that has no JSON for it tells why in text', async () => {
    const old = join(bench.workRoot, 'terraform-1.8.5')
    const script = `#!/bin/sh\ncase "$1" in version) echo '{"terraform_version": "1.8.5"}' ;; *) exec ${ENGINE} "$@" ;; esac\n`
    await writeFile(old, script, { mode: 0o755 })
    const { driver } = await bench.open(Phase.PLAN, unreadable)
    expectSucceeded(await driver.prepare({ enginePath: old, engineVersion: '1.8.5' }))
    const { log, result } = await driver.init({ logFormat: LogFormat.JSON })
    expect(result.outcome).toBe(StepOutcome.FAILED)
    expect(log).toContain('│ Error: Unreadable module directory')
    await driver.shutdown()
  })
})

describe('the apply phase', () => {
  it('gets the directory as the plan left it: files kept, hard links as files, packages and our files out', async () => {
    const { driver, paths } = await bench.readyToPlan(
      { 'sub/main.tf': 'resource "terraform_data" "a" {}' },
      { prepare: { workingDirectory: 'sub', variables: [tf('s', 'secret-in-tfvars')] } },
    )
    await mkdir(join(paths.work, 'sub/.terraform/providers/x'), { recursive: true })
    await writeFile(join(paths.work, 'sub/.terraform/providers/x/binary'), 'big')
    await writeFile(join(paths.work, 'sub/made-by-plan'), 'made')
    await mkdir(join(paths.work, 'sub/readonly'))
    await chmod(join(paths.work, 'sub/readonly'), 0o500)
    const { link, symlink } = await import('node:fs/promises')
    await link(join(paths.work, 'sub/made-by-plan'), join(paths.work, 'sub/second-name'))
    await symlink('/etc/hostname', join(paths.work, 'sub/outside'))
    expectSucceeded(await driver.plan())
    const [plan, snapshot] = [await driver.download(BlobKind.PLAN), await driver.download(BlobKind.SNAPSHOT)]
    await driver.shutdown()

    const { driver: applying } = await bench.open(
      Phase.APPLY,
      { 'sub/main.tf': 'resource "terraform_data" "other" {}' },
      { run: driver.lease.runId },
    )
    await applying.upload(BlobKind.SNAPSHOT, snapshot)
    await applying.upload(BlobKind.PLAN, plan)
    expectSucceeded(await applying.prepare({ workingDirectory: 'sub' }))
    const text = async (name: string) => readFile(join(paths.work, 'sub', name), 'utf8')
    expect(await text('made-by-plan')).toBe('made')
    expect(await text('second-name')).toBe('made')
    expect((await lstat(join(paths.work, 'sub/outside'))).isSymbolicLink()).toBe(true)
    expect(await text('main.tf')).toContain('"a"')
    expect(await text('terraform.tfvars')).toBe('')
    await expect(text('.terraform/providers/x/binary')).rejects.toThrow('ENOENT')
    expectSucceeded(await applying.init())
    expectSucceeded(await applying.apply())
  })

  it('uses the lock file it is given', async () => {
    const { driver, paths } = await bench.open(Phase.APPLY, { 'main.tf': '', '.terraform.lock.hcl': 'old' })
    await driver.upload(BlobKind.LOCK_FILE, Buffer.from('# ours\n'))
    expectSucceeded(await driver.prepare())
    expect(await readFile(join(paths.work, '.terraform.lock.hcl'), 'utf8')).toBe('# ours\n')
    const init = await driver.init({ lockfileReadonly: true })
    expectSucceeded(init)
    expect(init.result.artifacts).toMatchObject([{ kind: BlobKind.LOCK_FILE, sha256: sha256(Buffer.from('# ours\n')) }])
    await driver.shutdown()
  })

  it('refuses a plan that was made elsewhere, whose state nobody would watch', async () => {
    const elsewhere = await bench.readyToPlan({ 'main.tf': 'resource "terraform_data" "a" {}' })
    expectSucceeded(await elsewhere.driver.plan())
    const plan = await elsewhere.driver.download(BlobKind.PLAN)
    const { driver } = await bench.open(Phase.APPLY, { 'main.tf': 'resource "terraform_data" "a" {}' })
    await driver.upload(BlobKind.PLAN, plan)
    expect((await driver.prepare()).result).toMatchObject({
      outcome: StepOutcome.FAILED,
      errors: [{ code: ErrorCode.CONFIG_INVALID, message: expect.stringContaining('another directory') }],
    })
  })
})

describe('the plan', () => {
  it('makes files for imported resources when asked to, and says so', async () => {
    const files = { 'main.tf': 'import {\n  to = terraform_data.imported\n  id = "some-id"\n}\n' }
    const asked = await bench.readyToPlan(files)
    const { result } = await asked.driver.plan({ generateConfig: true })
    expect(result.generatedConfig).toBe(true)
    expect(await readFile(join(asked.paths.work, 'generated.tf'), 'utf8')).toContain('terraform_data')
    const not = await bench.readyToPlan({ 'main.tf': 'resource "terraform_data" "a" {}', 'generated.tf': '' })
    expect((await not.driver.plan()).result.generatedConfig).toBe(false)
  })

  it('passes on mode, targets and parallelism', async () => {
    const { driver } = await bench.readyToPlan({ 'main.tf': 'resource "terraform_data" "a" {}\nresource "terraform_data" "b" {}\n' })
    const targeted = await driver.plan({ targets: ['terraform_data.b'], parallelism: 1, refresh: false })
    expect(targeted.result.summary).toMatchObject({ add: 1 })
    expect(targeted.log).toContain('terraform_data.b will be created')
    expect((await driver.plan({ targets: ['a\0b'] })).result.errors).toMatchObject([{ code: ErrorCode.CONFIG_INVALID }])
    expect((await driver.plan({ mode: 3 })).result.outcome).toBe(StepOutcome.SUCCEEDED)
    await driver.shutdown()
  })
})

describe('clean-up', () => {
  it('removes a directory that nobody may write to, and follows no link', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'outside-'))
    await writeFile(join(outside, 'keep'), '')
    const { driver, paths } = await bench.readyToPlan({ 'main.tf': '' })
    await mkdir(join(paths.work, 'locked/inner'), { recursive: true })
    const { symlink } = await import('node:fs/promises')
    await symlink(outside, join(paths.work, 'locked/inner/link'))
    await chmod(join(paths.work, 'locked/inner'), 0o500)
    await chmod(join(paths.work, 'locked'), 0o000)
    await driver.shutdown()
    await expect(stat(paths.root)).rejects.toThrow('ENOENT')
    expect((await stat(join(outside, 'keep'))).isFile()).toBe(true)
    expect((await stat(outside)).mode & 0o700).toBe(0o700)
    await rm(outside, { recursive: true })
  })
})
