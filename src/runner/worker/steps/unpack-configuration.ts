import { createReadStream } from 'node:fs'
import { chmod, chown, mkdir, rename, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BlobKind } from '../../gen/runner/v1/runner.ts'
import { extractSlug } from '../../slug/extract-slug.ts'
import { slugLimits, snapshotLimits } from '../../slug/limits.ts'
import { scanSlug } from '../../slug/scan-slug.ts'
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
  const { warnings } = await scanSlug(createReadStream(archive.path), limits)
  const fresh = join(paths.private, 'unpacked')
  await mkdir(fresh, { mode: 0o700 })
  await extractSlug(createReadStream(archive.path), fresh, { owner: isolation, limits })
  await chmod(fresh, 0o700)
  if (isolation !== undefined) await chown(fresh, isolation.uid, isolation.gid)
  await rmdir(paths.work)
  await rename(fresh, paths.work)
  return warnings
}
