import type { StateDeps } from '../state-version.ts'
import { deletePermanently, listSoftDeleted } from './queries.ts'

const BATCH = 100

/** Deletes for good what was marked for deletion before `before`; how many versions. */
export const purgeDeleted =
  ({ db }: Pick<StateDeps, 'db'>) =>
  async (before: Date): Promise<number> => {
    let purged = 0
    for (;;) {
      const ids = await listSoftDeleted(db, before, BATCH)
      if (ids.length === 0) return purged
      await db.transaction((tx) => deletePermanently(tx, ids))
      purged += ids.length
    }
  }
