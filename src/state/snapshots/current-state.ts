import { findCurrent } from '../queries.ts'
import { type StateDeps, isStored } from '../state-version.ts'

export type CurrentState = {
  id: string
  /** As declared by the uploader; those inside the bytes count for terraform. */
  serial: number
  lineage: string
  /** Lower-case hex sha256 of the bytes. */
  blobKey: string
  sizeBytes: number
  open(): AsyncIterable<Buffer>
}

/** The current state of the workspace, for the run that is to begin with it; undefined when there is none. */
export const currentState =
  ({ db, blobs }: Pick<StateDeps, 'db' | 'blobs'>) =>
  async (workspaceId: string): Promise<CurrentState | undefined> => {
    const version = await findCurrent(db, workspaceId)
    if (!isStored(version)) return undefined
    const { id, serial, lineage, blobKey, sizeBytes } = version
    return { id, serial, lineage, blobKey, sizeBytes, open: () => blobs.get(blobKey) }
  }
