import { findLastUsed, findNewestConfigurationVersion } from './configuration-queries.ts'
import type { Reader } from './queries.ts'

/** Id of the version that a run without one uses: the one used last, where a version counts as used at its creation. */
export const defaultConfigurationId = async (db: Reader, workspaceId: string): Promise<string | undefined> => {
  const [newest, used] = [await findNewestConfigurationVersion(db, workspaceId), await findLastUsed(db, workspaceId)]
  if (used === undefined) return newest?.id
  return newest === undefined || used.usedAt > newest.createdAt ? used.id : newest.id
}
