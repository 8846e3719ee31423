import { systemClock } from '../../src/platform/clock.ts'
import { silentLog } from '../../src/platform/log.ts'
import { INSTALLATION, leaseOf, makeDriver, slugOf } from '../contract/runner-driver.ts'
import { BlobKind, Phase } from '../../src/runner/gen/runner/v1/runner.ts'
import { makeWorker } from '../../src/runner/worker/worker.ts'

/** Applies the plan on stdin in a process of its own, which a test then kills: `apply-in-child.ts WORK_ROOT RUN_ID`. */
const [workRoot = '', run = ''] = process.argv.slice(2)
const plan: Buffer[] = []
for await (const chunk of process.stdin as AsyncIterable<Buffer>) plan.push(chunk)
const runner = makeWorker({
  workRoot,
  instanceId: 'child',
  installationId: INSTALLATION,
  isolation: undefined,
  log: silentLog,
  clock: systemClock,
})
const driver = makeDriver(runner, leaseOf(run, Phase.APPLY))
await driver.begin()
await driver.upload(BlobKind.SLUG, slugOf({ 'main.tf': '' }))
await driver.upload(BlobKind.PLAN, Buffer.concat(plan))
await driver.prepare()
await driver.init()
await driver.apply()
