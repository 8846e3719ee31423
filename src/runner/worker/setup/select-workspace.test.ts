import { lstat, readFile, stat } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { expectSucceeded } from '../../../../test/contract/runner-driver.ts'
import { makeWorkbench, type Workbench } from '../../../../test/harness/worker.ts'
import { ErrorCode, Phase, StepOutcome, VariableCategory } from '../../gen/runner/v1/runner.ts'

let bench: Workbench
beforeEach(async () => {
  bench = await makeWorkbench()
})
afterEach(async () => bench.close())

const naming = {
  'main.tf': 'resource "terraform_data" "a" {\n  input = terraform.workspace\n}\noutput "w" {\n  value = terraform.workspace\n}\n',
}

type State = { serial: number; lineage: string; outputs: Record<string, { value: unknown }>; resources: unknown[] }

const readState = async (file: string): Promise<State> => JSON.parse(await readFile(file, 'utf8')) as State

describe('terraform.workspace', () => {
  it('is the name of the workspace in plan and apply, and the state stays in our file', async () => {
    const prepare = { workspaceName: 'prod-eu_1' }
    const { driver, paths } = await bench.readyToApply(naming, { prepare })
    const applied = await driver.apply()
    expectSucceeded(applied)
    const first = await readState(paths.stateFile)
    expect(first).toMatchObject({ outputs: { w: { value: 'prod-eu_1' } }, resources: [{ name: 'a' }] })
    expect((await lstat(paths.stateFile)).isFile()).toBe(true)
    const state = await readFile(paths.stateFile)

    const more = { 'main.tf': `${naming['main.tf']}resource "terraform_data" "b" {}\n` }
    const second = await bench.readyToApply(more, { prepare, state })
    const { log, result } = await second.driver.apply()
    expect(result.outcome, log).toBe(StepOutcome.SUCCEEDED)
    expect(log).not.toContain('terraform_data.a: Creating')
    const after = await readState(second.paths.stateFile)
    expect(after).toMatchObject({ lineage: first.lineage, resources: [{ name: 'a' }, { name: 'b' }] })
    expect(after.serial).toBeGreaterThan(first.serial)
  })

  it.each(['', 'default'])('is "default" for %j', async (workspaceName) => {
    const { driver } = await bench.readyToPlan(naming, { prepare: { workspaceName } })
    const plan = await driver.plan()
    expect(plan.log).toContain('+ w = "default"')
    await driver.shutdown()
  })

  it('is what a command started by a resource does not inherit', async () => {
    const command = 'echo "inherits: $TF_WORKSPACE."'
    const files = {
      'main.tf': `resource "terraform_data" "a" {\n  provisioner "local-exec" {\n    command = ${JSON.stringify(command)}\n  }\n}\n`,
    }
    const { driver } = await bench.readyToApply(files, { prepare: { workspaceName: 'prod' } })
    expect((await driver.apply()).log).toContain('inherits: .')
  })

  it.skipIf(process.getuid?.() !== 0)('is there for an engine that runs as another user', async () => {
    const isolation = { uid: 61_236, gid: 61_236 }
    const { driver, paths } = await bench.readyToApply(naming, { worker: { isolation }, prepare: { workspaceName: 'prod' } })
    expectSucceeded(await driver.apply())
    expect((await readState(paths.stateFile)).outputs['w']?.value).toBe('prod')
    expect((await stat(paths.stateFile)).uid).toBe(isolation.uid)
  })

  it('cannot be kept elsewhere by arguments of the user, and takes no name that is a path', async () => {
    const value = '-backend-config=workspace_dir=/tmp/elsewhere'
    const variables = [{ key: 'TF_CLI_ARGS_init', value, hcl: false, category: VariableCategory.ENV, sensitive: false }]
    const { driver } = await bench.open(Phase.PLAN, naming)
    expectSucceeded(await driver.prepare({ variables, workspaceName: 'prod' }))
    expect((await driver.init()).result).toMatchObject({ outcome: StepOutcome.FAILED, errors: [{ code: ErrorCode.CONFIG_INVALID }] })
    await driver.shutdown()
    const other = await bench.open(Phase.PLAN, naming)
    expect((await other.driver.prepare({ workspaceName: '../../out' })).result).toMatchObject({ errors: [{ code: ErrorCode.INTERNAL }] })
    await other.driver.shutdown()
  })
})
