import { killJob } from '../worker/engine/kill-job.ts'
import { removeRunDirectory } from '../worker/files/remove-run-directory.ts'
import { runPaths } from '../worker/run-directory.ts'
import type { Placement, RunnerRef } from './placement.ts'
import { endEngine, endProcessesOfUser } from './process-end.ts'
import { readLeftEvents } from './read-left-events.ts'
import { recoverState } from './process-state.ts'
import { releaseUid, whileClaimed } from './process-uid.ts'

/** What the kinds of local runners share: what a phase leaves on this machine besides its worker. `uidClaims`: directory of the users' claims. */
export const makeLocalJobs = (
  uidClaims: string | undefined,
): Pick<Placement, 'recoverState' | 'leftEvents' | 'discard'> & { endLeftovers(ref: RunnerRef): Promise<void> } => ({
  /** Ends every process that the phase's engine started. */
  endLeftovers: async (ref) => {
    await endEngine(ref.runDirectory)
    if (ref.uid === undefined || uidClaims === undefined) return killJob(undefined, runPaths(ref.runDirectory).home, true)
    // A claim of another instance means that this one has long ended and its user works for somebody else.
    const { uid } = ref
    await whileClaimed(uidClaims, uid, ref.instanceId, () => endProcessesOfUser(uid))
  },
  recoverState: (ref) => recoverState(ref.runDirectory, [process.getuid?.() ?? 0, ...(ref.uid === undefined ? [] : [ref.uid])]),
  leftEvents: (ref) => readLeftEvents(runPaths(ref.runDirectory).operations),
  discard: async (ref) => {
    await removeRunDirectory(ref.runDirectory)
    if (ref.uid !== undefined && uidClaims !== undefined) await releaseUid(uidClaims, ref.uid, ref.instanceId)
  },
})
