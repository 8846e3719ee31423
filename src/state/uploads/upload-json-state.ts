import { conflict, notFound } from '../../platform/errors.ts'
import { lockWorkspaceRow } from '../../workspaces/index.ts'
import { findStateVersion, updateStateVersion } from '../queries.ts'
import type { StateDeps, StateVersion } from '../state-version.ts'

const refuseDiscarded = ({ status }: StateVersion): void => {
  if (status === 'discarded') throw conflict('This upload came too late. Create a new state version.')
}

/** The `terraform show -json` form of a version, before its state or after; the same again does nothing. Errors: NOT_FOUND, CONFLICT, TOO_LARGE. */
export const uploadJsonState =
  ({ db, blobs, limits }: Pick<StateDeps, 'db' | 'blobs' | 'limits'>) =>
  async (id: string, source: AsyncIterable<Uint8Array>): Promise<void> => {
    const version = await findStateVersion(db, id)
    if (version === undefined) throw notFound()
    refuseDiscarded(version)
    const blob = await blobs.put(source, limits)
    await db.transaction(async (tx) => {
      await lockWorkspaceRow(tx, version.workspaceId)
      const current = await findStateVersion(tx, id)
      if (current === undefined) throw notFound()
      refuseDiscarded(current)
      if (current.jsonBlobKey === blob.key) return
      if (current.jsonBlobKey !== null) throw conflict('The JSON state was uploaded already.')
      await updateStateVersion(tx, id, { jsonBlobKey: blob.key })
    })
  }
