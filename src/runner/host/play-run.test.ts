import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { makeWorker } from '../worker/worker.ts'
import { playRun } from './play-run.ts'

it('a rehearsal plays every step of a run, and the runner cleans up after it', async () => {
  const workRoot = await mkdtemp(join(tmpdir(), 'terrane-play-test-'))
  onTestFinished(() => rm(workRoot, { recursive: true, force: true }))
  const options = { workRoot, instanceId: 'test', installationId: 'rehearsal', isolation: undefined, log: silentLog, clock: systemClock }
  expect(await playRun(makeWorker(options), workRoot)).toBe(true)
  expect(await readdir(workRoot)).toEqual(['engine'])
})
