import { holdsLock } from './run-machine.ts'
import type { RunRow } from './run.ts'

type Queued = Pick<RunRow, 'id' | 'status' | 'isPlanOnly' | 'isSavePlan' | 'configurationVersionId'>

/** What keeps a run from starting, in words for people; undefined when nothing does. */
export type WaitReason = 'workspace-locked' | 'earlier-run' | 'configuration-missing'

/**
 * Ids of the pending runs that may start now. `open` are all unfinished runs of one workspace in the order of the queue. Plan-only runs and
 * saved plans start at once beside the others; of the rest one at a time, first come, first served, and none while the workspace is locked.
 */
export const nextInQueue = (open: Queued[], facts: { isLocked: boolean; isUploaded(configurationVersionId: string): boolean }): string[] =>
  open.filter((run) => run.status === 'pending' && waitReason(run, open, facts) === undefined).map((run) => run.id)

export const waitReason = (
  run: Queued,
  open: Queued[],
  facts: { isLocked: boolean; isUploaded(configurationVersionId: string): boolean },
): WaitReason | undefined => {
  if (!facts.isUploaded(run.configurationVersionId)) return 'configuration-missing'
  if (run.isPlanOnly || run.isSavePlan) return undefined
  if (facts.isLocked) return open.some((other) => other.id !== run.id && holdsLock(other)) ? 'earlier-run' : 'workspace-locked'
  const before = open.slice(
    0,
    open.findIndex((each) => each.id === run.id),
  )
  return before.some((other) => !other.isPlanOnly && !other.isSavePlan) ? 'earlier-run' : undefined
}

/** Applies have 0: they go before all plans. */
export const planPriority = (isPlanOnly: boolean): number => (isPlanOnly ? 2 : 1)
