import type { Processor } from '../processing/make-processor.ts'
import { findNewestSnapshot } from '../queries.ts'
import type { StateDeps } from '../state-version.ts'

/** Looks into the last snapshot of the run before it is promoted, so that outputs and counts appear together with it. */
export const prepareRunState =
  ({ db, processor }: Pick<StateDeps, 'db'> & { processor: Processor }) =>
  async (workspaceId: string, runId: string): Promise<void> => {
    const snapshot = await findNewestSnapshot(db, workspaceId, runId)
    if (snapshot !== undefined) await processor.process(snapshot.id)
  }
