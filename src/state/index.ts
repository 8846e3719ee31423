import { deleteOlder } from './backing-data/delete-older.ts'
import { purgeDeleted } from './backing-data/purge-deleted.ts'
import { makeStateEndpoints } from './endpoints.ts'
import { makeStateLoaders } from './loaders.ts'
import { makeProcessor } from './processing/make-processor.ts'
import { commitRunSnapshot } from './snapshots/commit-run-snapshot.ts'
import { currentState } from './snapshots/current-state.ts'
import { prepareRunState } from './snapshots/prepare-run-state.ts'
import { promoteOnUnlock } from './snapshots/promote-on-unlock.ts'
import { promoteRunState } from './snapshots/promote-run-state.ts'
import { makeStateOf } from './state-of.ts'
import { type StateDeps, type StateLimits, defaultStateLimits } from './state-version.ts'
import { makeVerbs } from './verbs.ts'

export { workspaceOutputType } from './resource-types.ts'
export { type BackingDataAction, backingDataActions, decideBackingData, isBackingDataDeleted } from './backing-data/decide-backing-data.ts'
export type { StateLimits } from './state-version.ts'

export type State = ReturnType<typeof makeState>

/** State versions of workspaces: uploads, reads, roll-back, and the snapshots of runs. See README.md. */
export const makeState = ({ limits, ...rest }: Omit<StateDeps, 'limits'> & { limits?: Partial<StateLimits> }) => {
  const base: StateDeps = { ...rest, limits: { ...defaultStateLimits, ...limits } }
  const processor = makeProcessor(base)
  const deps = { ...base, processor }
  const verbs = makeVerbs(deps)
  return {
    ...verbs,
    endpoints: makeStateEndpoints(verbs, deps),
    loaders: makeStateLoaders(deps),
    /** For `makeWorkspaces`. */
    stateOf: makeStateOf(deps),
    promoteOnUnlock: promoteOnUnlock(deps),
    /** For the run engine. */
    commitRunSnapshot: commitRunSnapshot(deps),
    prepareRunState: prepareRunState(deps),
    promoteRunState: promoteRunState(deps),
    currentState: currentState(deps),
    /** For the job that enforces retention policies. */
    deleteOlder: deleteOlder(deps),
    purgeDeleted: purgeDeleted(deps),
    /** Looks into large states that a killed process left; how many. */
    resumeProcessing: processor.resume,
    /** Resolves when no state waits to be looked into. */
    processingIdle: processor.idle,
  }
}
