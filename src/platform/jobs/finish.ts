import { and, eq } from 'drizzle-orm'
import type { Tx } from '../db/database.ts'
import type { PlatformTables } from '../db/tables.ts'
import type { ClaimedJob } from './claim.ts'
import { decideEnd, type JobEnd, type JobOutcome } from './decide-end.ts'

type Finish = { job: ClaimedJob; owner: string; outcome: JobOutcome; now: Date; random: number }

/** Writes how the run of a claimed job ended. undefined, and nothing written, when the job is no longer ours. */
export const finishJob = async (tx: Tx<PlatformTables>, { job, owner, outcome, now, random }: Finish): Promise<JobEnd | undefined> => {
  const { jobs } = tx.t
  const [row] = await tx.forUpdate(
    tx
      .select()
      .from(jobs)
      .where(and(eq(jobs.id, job.id), eq(jobs.owner, owner))),
  )
  if (row === undefined) return undefined
  const end = decideEnd({ ...row, claimedRunAt: job.runAt }, outcome, now, random)
  const { isOpen, ...columns } = end
  await tx
    .update(jobs)
    .set({ ...columns, owner: null, leaseUntil: null, ...(isOpen ? {} : { openKey: null, finishedAt: now }) })
    .where(eq(jobs.id, job.id))
  return end
}
