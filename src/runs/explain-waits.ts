import { groupBy } from '../platform/group-by.ts'
import { waitReason } from './decide-queue.ts'
import type { RunDeps } from './deps.ts'
import { type OpenRun, type WorkspaceLock, listLocksOf, listOpenRunsOf, listUploadedOf } from './queue-queries.ts'
import type { RunRow } from './run.ts'

const FOR_A_RUNNER = 'Waiting for a free runner.'

/** A long queue is not listed as a whole. */
const NAMED_RUNS = 3

/** By id of run: why it does not go on by itself, for people. Nothing for those at work, that wait for a decision, or have ended. */
export const explainWaits = async (d: Pick<RunDeps, 'db'>, runs: RunRow[]): Promise<Map<string, string>> => {
  const reasons = await explainPending(
    d,
    runs.filter(({ status }) => status === 'pending'),
  )
  for (const { id, status } of runs) if (status === 'plan_queued' || status === 'apply_queued') reasons.set(id, FOR_A_RUNNER)
  return reasons
}

/** Reads what belongs to the runs in one go per kind. */
const explainPending = async ({ db }: Pick<RunDeps, 'db'>, runs: RunRow[]): Promise<Map<string, string>> => {
  if (runs.length === 0) return new Map()
  const workspaceIds = [...new Set(runs.map(({ workspaceId }) => workspaceId))]
  const openOf = groupBy(await listOpenRunsOf(db, workspaceIds), ({ workspaceId }) => workspaceId)
  const locks = new Map((await listLocksOf(db, workspaceIds)).map((lock) => [lock.id, lock]))
  const uploaded = new Set(await listUploadedOf(db, [...new Set(runs.map((run) => run.configurationVersionId))]))
  return new Map(
    runs.map((run) => [run.id, explain(run, openOf.get(run.workspaceId) ?? [], locks.get(run.workspaceId), (id) => uploaded.has(id))]),
  )
}

const explain = (run: RunRow, open: OpenRun[], lock: WorkspaceLock | undefined, isUploaded: (id: string) => boolean): string => {
  switch (waitReason(run, open, { isLocked: lock !== undefined && lock.lockedById !== null, isUploaded })) {
    case 'workspace-locked':
      return `Waiting for the workspace to be unlocked${lock?.lockedReason ? ` (${lock.lockedReason})` : ''}.`
    case 'earlier-run':
      return `Waiting for ${namesOf(open.filter((each) => each.position < run.position && !each.isPlanOnly && !each.isSavePlan))} to end.`
    case 'configuration-missing':
      return 'Waiting for the configuration to be uploaded.'
    case undefined:
      return FOR_A_RUNNER
  }
}

const namesOf = (runs: OpenRun[]): string => {
  if (runs.length === 0) return 'another run'
  const names = runs.slice(0, NAMED_RUNS).map(({ id, status }) => `${id} (${status})`)
  const more = runs.length - names.length
  return names.join(', ') + (more === 0 ? '' : ` and ${more} more`)
}
