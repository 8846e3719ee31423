import { and, asc, count, eq, inArray, isNotNull, lt, min, ne, notInArray, or } from 'drizzle-orm'
import { type JobsAtWork, orderOfService } from './decide-next-job.ts'
import type { JobRow, RunnerTx } from './deps.ts'
import { AT_WORK } from './queries.ts'

type Pending = {
  owner: string
  leaseUntil: Date
  /** Runs that are left out. */
  busy: readonly string[]
  servedAt: ReadonlyMap<string, number>
}

/** Takes the next pending job, or nothing. See orderOfService. */
export const claimPendingJob = async (tx: RunnerTx, { owner, leaseUntil, busy, servedAt }: Pending): Promise<JobRow | undefined> => {
  const { runnerJobs } = tx.t
  const { priority, organizationId, workspaceId } = runnerJobs
  const isPending = and(eq(runnerJobs.status, 'pending'), notInArray(runnerJobs.runId, [...busy]))
  const waiting = await tx
    .select({ priority, organizationId, workspaceId, since: min(runnerJobs.createdAt) })
    .from(runnerJobs)
    .where(isPending)
    .groupBy(priority, organizationId, workspaceId)
  if (waiting.length === 0) return undefined
  const atWork = await countAtWork(tx)
  const groups = waiting.map(({ since, ...group }) => ({ ...group, since: since ?? new Date(0) }))
  for (const group of orderOfService(groups, atWork, servedAt)) {
    const next = await tx.forUpdate(
      tx
        .select()
        .from(runnerJobs)
        .where(and(isPending, eq(priority, group.priority), eq(workspaceId, group.workspaceId)))
        .orderBy(asc(runnerJobs.createdAt), asc(runnerJobs.id))
        .limit(1),
      { skipLocked: true },
    )
    // Another server may have taken it this moment.
    if (next[0] === undefined) continue
    const rows = await tx
      .update(runnerJobs)
      .set({ status: 'starting', owner, leaseUntil, epoch: next[0].epoch + 1 })
      .where(and(eq(runnerJobs.id, next[0].id), eq(runnerJobs.status, 'pending')))
      .returning()
    return rows[0]
  }
  return undefined
}

export const countAtWork = (reader: Pick<RunnerTx, 'prepare' | 't'>): Promise<JobsAtWork[]> => {
  const { runnerJobs } = reader.t
  const { organizationId, workspaceId } = runnerJobs
  const prepared = reader.prepare('runner_count_at_work', (q) =>
    q
      .select({ organizationId, workspaceId, count: count() })
      .from(runnerJobs)
      .where(inArray(runnerJobs.status, [...AT_WORK]))
      .groupBy(organizationId, workspaceId),
  )
  return prepared.execute()
}

type Orphans = {
  owner: string
  now: Date
  leaseUntil: Date
  /** No other controller can be alive. */
  isAlone: boolean
  /** Controllers that are known to be gone. */
  gone: readonly string[]
  /** Jobs that this controller is at work on. */
  activeIds: readonly string[]
  /** No capacity for more than ending what was force-canceled, and following what runs already: that costs nothing more. */
  isFull: boolean
}

/**
 * Takes over a job that nobody is at work on: its controller is gone, its lease has run out, or it waits here for another try and was
 * force-canceled meanwhile.
 */
export const claimOrphanedJob = async (
  tx: RunnerTx,
  { owner, now, leaseUntil, isAlone, gone, activeIds, isFull }: Orphans,
): Promise<JobRow | undefined> => {
  const { runnerJobs } = tx.t
  const isKilled = eq(runnerJobs.cancelMode, 'kill')
  const isLeft = or(
    // Its own work is nobody's to take over, whatever the clock says after a jump.
    isAlone ? ne(runnerJobs.owner, owner) : and(lt(runnerJobs.leaseUntil, now), notInArray(runnerJobs.id, [...activeIds])),
    inArray(runnerJobs.owner, [...gone]),
    and(eq(runnerJobs.owner, owner), isKilled, notInArray(runnerJobs.id, [...activeIds])),
  )
  const next = await tx.forUpdate(
    tx
      .select()
      .from(runnerJobs)
      .where(and(inArray(runnerJobs.status, [...AT_WORK]), isLeft, isFull ? or(isKilled, isNotNull(runnerJobs.runnerRef)) : undefined))
      .orderBy(asc(runnerJobs.createdAt))
      .limit(1),
    { skipLocked: true },
  )
  const job = next[0]
  if (job === undefined) return undefined
  const rows = await tx
    .update(runnerJobs)
    .set({ owner, leaseUntil, epoch: job.epoch + 1 })
    .where(and(eq(runnerJobs.id, job.id), eq(runnerJobs.epoch, job.epoch)))
    .returning()
  return rows[0]
}
