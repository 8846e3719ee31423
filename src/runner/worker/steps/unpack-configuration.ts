import { chmodSync, chownSync, closeSync, mkdirSync, openSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { BlobKind } from '../../gen/runner/v1/runner.ts'
import { extractSlug } from '../../slug/extract-slug.ts'
import { slugLimits, snapshotLimits } from '../../slug/limits.ts'
import { scanSlug } from '../../slug/scan-slug.ts'
import { piecesOf } from '../files/pieces-of.ts'
import type { Session } from '../session.ts'

/**
 * Fills the work directory from the snapshot of the plan, else from the configuration archive; answers warnings for the
 * user, undefined when neither was uploaded. The archive is looked through first, then unpacked where the job cannot
 * reach, then moved into place.
 */
export const unpackConfiguration = async (session: Session): Promise<string[] | undefined> => {
  const { paths, isolation, uploads } = session
  const snapshot = uploads.get(BlobKind.SNAPSHOT)
  const archive = snapshot ?? uploads.get(BlobKind.SLUG)
  if (archive === undefined) return undefined
  const limits = snapshot === undefined ? slugLimits : snapshotLimits
  const { warnings } = await reading(archive.path, (pieces) => scanSlug(pieces, limits))
  const fresh = join(paths.private, 'unpacked')
  mkdirSync(fresh, { mode: 0o700 })
  await reading(archive.path, (pieces) => extractSlug(pieces, fresh, { owner: isolation, limits }))
  chmodSync(fresh, 0o700)
  if (isolation !== undefined) chownSync(fresh, isolation.uid, isolation.gid)
  rmdirSync(paths.work)
  renameSync(fresh, paths.work)
  return warnings
}

const reading = async <R>(path: string, use: (pieces: AsyncIterable<Buffer>) => Promise<R>): Promise<R> => {
  const file = openSync(path, 'r')
  try {
    return await use(piecesOf(file))
  } finally {
    closeSync(file)
  }
}
