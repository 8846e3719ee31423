import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { silentLog } from '../../src/platform/log.ts'
import { makeWorker } from '../../src/runner/worker/worker.ts'
import { describeRunner } from './runner-conformance.ts'
import { endRunner, INSTALLATION } from './runner-driver.ts'

const workRoot = await mkdtemp(join(tmpdir(), 'runner-'))
afterAll(async () => rm(workRoot, { recursive: true, force: true }))

describeRunner('in process', async () => {
  const runner = makeWorker({
    workRoot,
    instanceId: randomUUID(),
    installationId: INSTALLATION,
    isolation: undefined,
    log: silentLog,
    clock: systemClock,
  })
  return { runner, workRoot, close: async () => endRunner(runner) }
})
