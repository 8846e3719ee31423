import { Readable } from 'node:stream'
import { notFound } from '../../platform/errors.ts'
import { isBackingDataDeleted } from '../backing-data/decide-backing-data.ts'
import { findStateVersion } from '../queries.ts'
import type { StateDeps } from '../state-version.ts'

export type Download = { content: Readable; sizeBytes?: number }

/** The bytes of a version as they were uploaded, or its JSON form. The caller has proved its right. Errors: NOT_FOUND. */
export const openDownload =
  ({ db, blobs }: Pick<StateDeps, 'db' | 'blobs'>) =>
  async (id: string, form: 'state' | 'json-state'): Promise<Download> => {
    const version = await findStateVersion(db, id)
    const key = form === 'state' ? version?.blobKey : version?.jsonBlobKey
    if (version === undefined || isBackingDataDeleted(version.status) || key === undefined || key === null) throw notFound()
    const content = Readable.from(blobs.get(key), { objectMode: false })
    return form === 'state' && version.sizeBytes !== null ? { content, sizeBytes: version.sizeBytes } : { content }
  }
