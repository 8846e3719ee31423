import { setTimeout as delay } from 'node:timers/promises'
import { errorMessage } from '../../platform/errors.ts'
import type { ControllerDeps, JobRow } from './deps.ts'
import { isFenced } from './drive.ts'
import { endAnyhow, type ErrorText } from './end-phase.ts'
import { stopRunner } from './stop-runner.ts'

/** What keeps the runner's end from being known must not keep the workspace locked. */
const STOP_MS = 60_000

/**
 * Ends a phase for which nothing else works: its runner is killed, what it left is kept as far as that can be done, and the run ends. Throws
 * Fenced when the job is not ours any more, and what the database throws.
 */
export const endByForce = async (d: ControllerDeps, job: JobRow, how: 'fail' | 'phase-canceled', error: ErrorText): Promise<void> => {
  const isStopped = await Promise.race([stop(d, job), delay(STOP_MS, false, { ref: false })])
  await endAnyhow(d, job, { how, error, isUnsaved: !isStopped && job.phase === 'apply' && job.runnerRef !== null })
  if (!isStopped || job.runnerRef === null) return
  await d.placement.discard(job.runnerRef).catch((reason: unknown) => {
    d.log.warn({ runId: job.runId, error: errorMessage(reason) }, 'the directory of a run could not be removed')
  })
}

/** False when something of it did not work. */
const stop = async (d: ControllerDeps, job: JobRow): Promise<boolean> => {
  try {
    await stopRunner(d, job)
    return true
  } catch (error) {
    if (isFenced(error)) throw error
    d.log.error({ runId: job.runId, runner: job.runnerRef, error: errorMessage(error) }, 'a runner could not be ended in order')
    return false
  }
}
