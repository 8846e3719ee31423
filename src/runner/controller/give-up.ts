import { setTimeout as delay } from 'node:timers/promises'
import { errorMessage } from '../../platform/errors.ts'
import { CancelMode } from '../gen/runner/v1/runner.ts'
import type { ControllerDeps, JobRow } from './deps.ts'
import { bind, leaseOf, phaseIdentity } from './drive.ts'
import { endByForce } from './end-by-force.ts'

/** Tries without progress until a phase ends as errored. With the pauses between them: 75 s for a plan, 4 min for an apply, where there is more to lose. */
const TRIES = { plan: 5, apply: 8 }
const MAX_PAUSE_MS = 60_000
/** For an engine that was asked to stop. */
const INTERRUPT_MS = 120_000
const REASON_CHARACTERS = 300

export const isHopeless = ({ phase }: Pick<JobRow, 'phase'>, tries: number): boolean => tries >= TRIES[phase]

/** Before the next try: 5 s, 10 s, 20 s … 60 s. */
export const pauseMs = (tries: number): number => Math.min(MAX_PAUSE_MS, 5000 * 2 ** (tries - 1))

/** Ends a phase that this server cannot carry on, with the reason; an apply is interrupted first. Throws Fenced. */
export const giveUp = async (d: ControllerDeps, job: JobRow, tries: number, reason: unknown): Promise<void> => {
  if (job.phase === 'apply') {
    await interrupt(d, job).catch((error: unknown) =>
      d.log.warn({ runId: job.runId, error: errorMessage(error) }, 'the runner of a phase that is given up could not be interrupted'),
    )
  }
  await endByForce(d, job, job.cancelMode === null ? 'fail' : 'phase-canceled', [
    'Run failed',
    `The server could not go on with this ${job.phase} and gave it up after ${tries} tries: ${rootMessage(reason)}`,
  ])
}

/** Lets the engine finish what it is doing and write its state. */
const interrupt = async (d: ControllerDeps, job: JobRow): Promise<void> => {
  if (job.runnerRef === null) return
  const signal = AbortSignal.timeout(INTERRUPT_MS)
  const { runner, close } = await d.placement.reattach(job.runnerRef, phaseIdentity(job), signal)
  try {
    const lease = leaseOf(job)
    await bind(runner, lease, job.deadline ?? d.clock.now())
    await runner.cancel({ lease, mode: CancelMode.INTERRUPT })
    while (!signal.aborted && (await runner.status({ lease })).operations.some(({ done }) => !done)) await delay(500)
  } finally {
    close()
  }
}

/** What it comes from, without the statement and its values that a database error carries around. */
const rootMessage = (error: unknown): string => {
  let root = error
  while (root instanceof Error && root.cause !== undefined) root = root.cause
  return (errorMessage(root).split('\n')[0] ?? '').slice(0, REASON_CHARACTERS)
}
