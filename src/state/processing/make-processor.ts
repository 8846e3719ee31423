import { errorMessage } from '../../platform/errors.ts'
import { lockWorkspaceRow } from '../../workspaces/index.ts'
import { analyseState, noAnalysis } from '../parse/analyse-state.ts'
import { findStateVersion, listUnprocessed } from '../queries.ts'
import { type StateDeps, isStored } from '../state-version.ts'
import { saveAnalysis } from './save-analysis.ts'

export type Processor = ReturnType<typeof makeProcessor>

/**
 * Looks into states that are too large to do so while the upload waits: one at a time, in slices. What a killed process left undone is
 * found again by `resume`. Two replicas at the same version do no harm: the first one's result stays.
 */
export const makeProcessor = (deps: Pick<StateDeps, 'db' | 'blobs' | 'envelope' | 'log' | 'limits'>) => {
  const { db, blobs, limits, log } = deps
  let tail: Promise<void> = Promise.resolve()

  const process = async (id: string): Promise<void> => {
    const version = await findStateVersion(db, id)
    if (!isStored(version) || version.areResourcesProcessed) return
    const isReadable = version.sizeBytes <= limits.processMaxBytes
    const analysis = isReadable ? await analyseState(await blobs.read(version.blobKey)) : noAnalysis
    await db.transaction(
      async (tx) => {
        const workspace = await lockWorkspaceRow(tx, version.workspaceId)
        const current = await findStateVersion(tx, id)
        if (workspace === undefined || current === undefined || current.areResourcesProcessed) return
        await saveAnalysis(deps, tx, workspace, current, analysis)
        // It can be made again from the state.
      },
      { isLazy: true },
    )
  }

  const enqueue = (id: string): void => {
    tail = tail
      .then(() => process(id))
      .catch((error: unknown) => log.error({ stateVersion: id, error: errorMessage(error) }, 'state could not be processed'))
  }

  return {
    /** Now; resolves when outputs and resources are there. */
    process,
    /** After those that wait already. */
    enqueue,
    /** Those that nobody has looked into; how many. */
    resume: async (): Promise<number> => {
      const ids = await listUnprocessed(db)
      for (const id of ids) enqueue(id)
      return ids.length
    },
    /** Resolves when nothing waits any more; for the end of the server. */
    idle: async (): Promise<void> => {
      let seen: Promise<void> | undefined
      while (seen !== tail) {
        seen = tail
        await seen
      }
    },
  }
}
