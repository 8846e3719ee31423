import { asOwner } from './as-owner.ts'
import type { ControllerDeps, JobRow } from './deps.ts'
import { updateOwnJob } from './queries.ts'

const ATTEMPTS = 3

/**
 * No runner could be had, or the one that came was lost before anything of the phase had begun: the job waits again, an apply too. Answers false,
 * and changes nothing, when it was tried often enough or is to be canceled. Throws Fenced.
 */
export const startAgain = (d: ControllerDeps, job: JobRow): Promise<boolean> =>
  asOwner(d, job, {}, async (tx, { run }) => {
    if (job.attempt >= ATTEMPTS || run.cancelRequestedAt !== null) return false
    await updateOwnJob(tx, job, { status: 'pending', owner: null, attempt: job.attempt + 1 })
    return true
  })
