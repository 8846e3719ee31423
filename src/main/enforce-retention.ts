import type { Clock } from '../platform/clock.ts'
import type { Runs } from '../runs/index.ts'
import type { State } from '../state/index.ts'
import type { Workspaces } from '../workspaces/index.ts'

const DAY_MS = 24 * 3_600_000
/** How long what was marked for deletion can be restored. */
const RESTORABLE_MS = 7 * DAY_MS

type Deps = {
  clock: Pick<Clock, 'now'>
  workspaces: Pick<Workspaces, 'listLimitedWorkspaces'>
  state: Pick<State, 'deleteOlder' | 'purgeDeleted'>
  runs: Pick<Runs, 'deleteOlderConfigurations' | 'purgeDeletedConfigurations'>
}

/** Marks the files of states and configurations that are older than the policies allow, and deletes for good what was marked a week ago. */
export const enforceRetention = async ({ clock, workspaces, state, runs }: Deps, signal: AbortSignal) => {
  const daysAgo = (days: number): Date => new Date(clock.now().getTime() - days * DAY_MS)
  const done = { states: 0, configurations: 0, purgedStates: 0, purgedConfigurations: 0 }
  for (const { workspaceId, deleteOlderThanDays } of await workspaces.listLimitedWorkspaces()) {
    signal.throwIfAborted()
    const before = daysAgo(deleteOlderThanDays)
    done.states += await state.deleteOlder(workspaceId, before)
    done.configurations += await runs.deleteOlderConfigurations(workspaceId, before)
  }
  const restorable = new Date(clock.now().getTime() - RESTORABLE_MS)
  done.purgedStates = await state.purgeDeleted(restorable)
  done.purgedConfigurations = await runs.purgeDeletedConfigurations(restorable)
  return done
}
