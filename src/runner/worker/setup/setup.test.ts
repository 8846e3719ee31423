import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ENGINE } from '../../../../test/contract/runner-driver.ts'
import { ErrorCode, type Variable, VariableCategory } from '../../gen/runner/v1/runner.ts'
import { runPaths } from '../run-directory.ts'
import { StepError } from '../step-error.ts'
import { buildEnvironment, withoutUserArguments } from './build-environment.ts'
import { collectSecrets } from './collect-secrets.ts'
import { nameThatSortsLast } from './name-that-sorts-last.ts'
import { removeStaleFiles } from './remove-stale-files.ts'
import { renderTfvars } from './render-tfvars.ts'
import { resolveWorkingDirectory } from './resolve-working-directory.ts'

const variable = (key: string, value: string, rest: Partial<Variable> = {}): Variable => ({
  key,
  value,
  hcl: false,
  category: VariableCategory.TERRAFORM,
  sensitive: false,
  ...rest,
})
const env = (key: string, value: string): Variable => variable(key, value, { category: VariableCategory.ENV })
const code = (work: () => unknown): ErrorCode | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof StepError ? error.code : ErrorCode.UNSPECIFIED
  }
}
const codeOf = async (work: Promise<unknown>): Promise<ErrorCode | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof StepError ? error.code : ErrorCode.UNSPECIFIED),
  )

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'setup-'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

describe('the environment of the engine', () => {
  const paths = runPaths('/w/run-1')

  it('is made from nothing', () => {
    expect(buildEnvironment(paths, [], { TFC_RUN_ID: 'run-1' }).environment).toEqual({
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/w/run-1/home',
      TMPDIR: '/w/run-1/tmp',
      LANG: 'C.UTF-8',
      TF_IN_AUTOMATION: '1',
      TF_INPUT: '0',
      CHECKPOINT_DISABLE: '1',
      GIT_TERMINAL_PROMPT: '0',
      TF_CLI_CONFIG_FILE: '/w/run-1/home/cli.tfrc',
      TFC_RUN_ID: 'run-1',
    })
  })

  it.each([
    'PATH',
    'HOME',
    'TMPDIR',
    'LD_PRELOAD',
    'LD_AUDIT',
    'LD_LIBRARY_PATH',
    'GLIBC_TUNABLES',
    'NODE_OPTIONS',
    'BASH_ENV',
    'TF_WORKSPACE',
    'TF_DATA_DIR',
    'TF_CLI_CONFIG_FILE',
    'TF_PLUGIN_CACHE_DIR',
    'TF_REATTACH_PROVIDERS',
    'TF_LOG_PATH',
    'TF_INPUT',
    'TF_IN_AUTOMATION',
  ])('leaves out %s of the user, and says so', (key) => {
    const { environment, notices } = buildEnvironment(paths, [env(key, 'evil-value')], {})
    expect(Object.values(environment)).not.toContain('evil-value')
    expect(notices).toEqual([`The environment variable ${key} is not passed on: it is reserved.`])
  })

  it('lets the user set levels and arguments, and takes them away for our commands', () => {
    const { environment, notices } = buildEnvironment(
      paths,
      [
        env('TF_LOG', 'debug'),
        env('TF_LOG_PROVIDER', 'yes'),
        env('TF_CLI_ARGS_plan', '-compact-warnings'),
        env('TF_VAR_x', '1'),
        env('AWS_REGION', 'eu'),
      ],
      {},
    )
    expect(environment).toMatchObject({ TF_LOG: 'debug', TF_CLI_ARGS_plan: '-compact-warnings', TF_VAR_x: '1', AWS_REGION: 'eu' })
    expect(notices).toEqual(['The environment variable TF_LOG_PROVIDER is not passed on: it must be a log level.'])
    expect(Object.keys(withoutUserArguments(environment)).filter((key) => /TF_LOG|TF_CLI_ARGS/.test(key))).toEqual([])
    expect(withoutUserArguments(environment)).toMatchObject({ TF_VAR_x: '1', AWS_REGION: 'eu' })
  })

  it.each(['-state=/x', '-input=false --state /x', "'-state-out=/x'", '-state'])('refuses TF_CLI_ARGS that move the state: %s', (value) => {
    expect(buildEnvironment(paths, [env('TF_CLI_ARGS_apply', value)], {}).environment['TF_CLI_ARGS_apply']).toBeUndefined()
  })

  it('does not take an argument that only looks like it', () => {
    expect(buildEnvironment(paths, [env('TF_CLI_ARGS', '-var=a-state=1 -stately')], {}).environment['TF_CLI_ARGS']).toBeDefined()
  })

  it('puts the platform above the user, and refuses what no environment can hold', () => {
    const { environment, notices } = buildEnvironment(paths, [env('TFC_RUN_ID', 'mine')], { TFC_RUN_ID: 'run-1' })
    expect(environment['TFC_RUN_ID']).toBe('run-1')
    expect(notices).toEqual(['The environment variable TFC_RUN_ID is not passed on: the platform sets it.'])
    for (const bad of [env('A=B', ''), env('', 'x'), env('A', 'a\0b'), env('A\0', 'b')])
      expect(code(() => buildEnvironment(paths, [bad], {}))).toBe(ErrorCode.CONFIG_INVALID)
    expect(code(() => buildEnvironment(paths, [], { PATH: '/evil' }))).toBe(ErrorCode.INTERNAL)
  })
})

describe('the variables file', () => {
  it('holds one assignment per line, HCL as it is', () => {
    expect(renderTfvars([variable('a', 'x\n"${b}" %{c}\t\\'), variable('b', '[1, 2]', { hcl: true })])).toBe(
      'a = "x\\n\\"$${b}\\" %%{c}\\t\\\\"\nb = [1, 2]\n',
    )
  })

  it.each(['', '1a', 'a b', 'a=1\nb', 'a"'])('refuses the name %j', (key) => {
    expect(code(() => renderTfvars([variable(key, '1')]))).toBe(ErrorCode.CONFIG_INVALID)
  })

  it('gives back every value in terraform', async () => {
    const values = fc.sample(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: fc.constantFrom('$', '{', '%', '"', '\\', '\n', '\0', '\b', '\f', '\u2028', 'a') }),
      ),
      { numRuns: 60, seed: 7 },
    )
    // Terraform normalizes strings to NFC.
    const wanted = values.map((value) => Buffer.from(value).toString().normalize('NFC'))
    const declared = values.map((_, at) => `variable "v${at}" {}\n`).join('')
    await writeFile(join(root, 'main.tf'), `${declared}output "o" { value = [${values.map((_, at) => `var.v${at}`).join(',')}] }\n`)
    await writeFile(join(root, 'zzz.auto.tfvars'), renderTfvars(values.map((value, at) => variable(`v${at}`, value))))
    const run = promisify(execFile)
    const options = { cwd: root, env: { CHECKPOINT_DISABLE: '1', TF_CLI_CONFIG_FILE: '/dev/null', HOME: root } }
    await run(ENGINE, ['apply', '-auto-approve', '-no-color'], options)
    const { stdout } = await run(ENGINE, ['output', '-json'], options)
    expect((JSON.parse(stdout) as { o: { value: string[] } }).o.value).toEqual(wanted)
  })
})

describe('a name that sorts last', () => {
  it.each([
    [[], 'zzz_terraform.auto.tfvars'],
    [['a.auto.tfvars', 'zz.auto.tfvars.json'], 'zzz_terraform.auto.tfvars'],
    [['~.auto.tfvars', 'a.auto.tfvars'], '~.auto.tfvars_terraform.auto.tfvars'],
    [['zzz_terraform.auto.tfvars'], 'zzz_terraform.auto.tfvars_terraform.auto.tfvars'],
    [['\u{10ffff}.auto.tfvars', '\uffff.auto.tfvars'], '\u{10ffff}.auto.tfvars_terraform.auto.tfvars'],
  ])('of %j is %j', (present, wanted) => {
    const name = nameThatSortsLast(present, 'zzz_terraform.auto.tfvars', '_terraform.auto.tfvars')
    expect(name).toBe(wanted)
    expect([...present, name].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).at(-1)).toBe(name)
  })
})

describe('secrets to hide', () => {
  it('are sensitive values, strings in sensitive HCL and what the platform asks for', () => {
    const { secrets, notices } = collectSecrets(
      [
        variable('a', 'first-secret', { sensitive: true }),
        variable('b', '{ "key" = "sec\\"ond", k = ["third"] }', { hcl: true, sensitive: true }),
        variable('c', 'open'),
        variable('d', 'abc', { sensitive: true }),
      ],
      ['token'],
    )
    expect(secrets).toEqual(expect.arrayContaining(['first-secret', 'sec"ond', 'third', 'token']))
    expect(secrets).not.toContain('key')
    expect(secrets).not.toContain('open')
    expect(notices).toEqual(['The value of the sensitive variable d is too short or too common to be hidden in logs.'])
  })
})

describe('the working directory', () => {
  const resolve = async (relative: string, create = false) => resolveWorkingDirectory(root, relative, create, undefined)

  it.each(['', '.', '/a', './a/./b/', 'link'])('may be %j', async (relative) => {
    await mkdir(join(root, 'a/b'), { recursive: true })
    await symlink('a', join(root, 'link'))
    expect(await codeOf(resolve(relative))).toBe(relative.startsWith('/') ? ErrorCode.BAD_SLUG : undefined)
  })

  it('R010: must not lead outside', async () => {
    await symlink('..', join(root, 'up'))
    await symlink('/etc', join(root, 'etc'))
    for (const relative of ['..', 'a/../..', '/etc', 'up', 'etc', 'a\\b'])
      expect(await codeOf(resolve(relative, true))).toBe(ErrorCode.BAD_SLUG)
    const beside = `beside-${basename(root)}`
    expect(await codeOf(resolve(`up/${beside}`, true))).toBe(ErrorCode.NO_CONFIG)
    expect(await readdir(join(root, '..'))).not.toContain(beside)
  })

  it('must exist, unless it may be made', async () => {
    expect(await codeOf(resolve('a/b'))).toBe(ErrorCode.NO_CONFIG)
    expect(await resolve('a/b', true)).toBe(join(root, 'a/b'))
    await writeFile(join(root, 'file'), '')
    expect(await codeOf(resolve('file', true))).toBe(ErrorCode.NO_CONFIG)
  })
})

describe('stale files', () => {
  it('are removed, the rest stays', async () => {
    await mkdir(join(root, '.terraform/modules'), { recursive: true })
    await mkdir(join(root, 'sub'))
    for (const name of [
      'terraform.tfstate',
      'terraform.tfstate.backup',
      'terraform.tfstate.123.backup',
      'errored.tfstate',
      '.terraform.tfstate.lock.info',
      '.terraform/terraform.tfstate',
      '.terraform/environment',
      '.terraform/modules/modules.json',
      'main.tf',
      'sub/terraform.tfstate',
      'my.tfstate',
    ])
      await writeFile(join(root, name), '')
    removeStaleFiles(root)
    expect((await readdir(root, { recursive: true })).sort()).toEqual([
      '.terraform',
      '.terraform/modules',
      '.terraform/modules/modules.json',
      'main.tf',
      'my.tfstate',
      'sub',
      'sub/terraform.tfstate',
    ])
  })

  it('are not looked for behind a link', async () => {
    await mkdir(join(root, 'other'))
    await writeFile(join(root, 'other/environment'), '')
    await symlink('other', join(root, '.terraform'))
    removeStaleFiles(root)
    expect((await readdir(root, { recursive: true })).sort()).toEqual(['other', 'other/environment'])
  })
})
