import { randomUUID } from 'node:crypto'
import { afterEach, expect } from 'vitest'
import { BlobKind, Phase } from '../../src/runner/gen/runner/v1/runner.ts'
import { type Runner, RunnerError } from '../../src/runner/runner.ts'
import { expectSucceeded, leaseOf, makeDriver, slugOf } from './runner-driver.ts'

export type RunnerUnderTest = { runner: Runner; workRoot: string; close(): Promise<void> }

export const TWO = slugOf({
  'main.tf':
    'resource "terraform_data" "a" { input = 1 }\nresource "terraform_data" "b" { input = terraform_data.a.output }\noutput "o" { value = 12345678901234567890 }\n',
})

/** Chain of resources that each take their time. */
export const chain = (length: number, seconds: string): Buffer =>
  slugOf({
    'main.tf': Array.from(
      { length },
      (_, at) =>
        `resource "terraform_data" "r${at}" {\n  ${at === 0 ? '' : `input = terraform_data.r${at - 1}.id`}\n  provisioner "local-exec" { command = "sleep ${seconds}" }\n}\n`,
    ).join(''),
  })

export const code = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof RunnerError ? error.code : `untyped: ${String(error)}`),
  )

/** Runners of one factory for the tests of a suite, closed after each test. */
export const makeBench = (makeRunner: () => Promise<RunnerUnderTest>) => {
  const opened: RunnerUnderTest[] = []
  const fresh = async (): Promise<RunnerUnderTest> => {
    const made = await makeRunner()
    opened.push(made)
    return made
  }
  afterEach(async () => {
    for (const made of opened.splice(0)) await made.close()
  })

  const runId = (): string => `run-${randomUUID().slice(0, 8)}`

  const planned = async (slug: Buffer, run = runId()) => {
    const { runner } = await fresh()
    const driver = makeDriver(runner, leaseOf(run, Phase.PLAN))
    await driver.begin()
    await driver.upload(BlobKind.SLUG, slug)
    expectSucceeded(await driver.prepare())
    expectSucceeded(await driver.init())
    const { result, log } = await driver.plan()
    expect(result.errors).toEqual([])
    const plan = await driver.download(BlobKind.PLAN)
    const snapshot = await driver.download(BlobKind.SNAPSHOT)
    return { run, plan, snapshot, result, log, driver }
  }

  const readyToApply = async (slug: Buffer) => {
    const { run, plan, snapshot, driver: before } = await planned(slug)
    await before.shutdown()
    const { runner } = await fresh()
    const driver = makeDriver(runner, leaseOf(run, Phase.APPLY))
    await driver.begin()
    await driver.upload(BlobKind.SNAPSHOT, snapshot)
    await driver.upload(BlobKind.PLAN, plan)
    expectSucceeded(await driver.prepare())
    expectSucceeded(await driver.init())
    return { runner, driver }
  }

  return { fresh, runId, planned, readyToApply }
}

export type Bench = ReturnType<typeof makeBench>
