import { Stats } from 'node:fs'
import { relative } from 'node:path'
import { create } from 'tar'
import { BlobKind } from '../../gen/runner/v1/runner.ts'
import { snapshotLimits } from '../../slug/limits.ts'
import { storeArtifact } from '../files/store-artifact.ts'
import { preparedOf } from '../prepared-of.ts'
import type { Session } from '../session.ts'

/**
 * Packs the work directory for the apply: without provider packages, our own files, and what is neither file, directory
 * nor link. False when it is too large. Nothing of the job changes anything meanwhile.
 */
export const takeSnapshot = async (session: Session): Promise<boolean> => {
  const { work } = session.paths
  const own = new Set(preparedOf(session).ownFiles.map((path) => relative(work, path)))
  const keep = (path: string, entry: Stats): boolean => {
    // Two names of one file are packed as two files: hard links are not accepted on the other side.
    entry.nlink = 1
    const name = path.replace(/^\.\//, '')
    return (
      !own.has(name) &&
      !/(^|\/)\.terraform\/providers(\/|$)/.test(name) &&
      (entry.isFile() || entry.isDirectory() || entry.isSymbolicLink())
    )
  }
  const archive = create({ gzip: true, portable: true, cwd: work, filter: (path, entry) => entry instanceof Stats && keep(path, entry) }, [
    '.',
  ])
  let tooLarge = false
  await storeArtifact(session, BlobKind.SNAPSHOT, async (writer) => {
    for await (const chunk of archive) {
      if (writer.bytes + chunk.length > snapshotLimits.compressedBytes) tooLarge = true
      if (tooLarge) break
      await writer.write(chunk)
    }
  })
  if (tooLarge) session.artifacts.delete(BlobKind.SNAPSHOT)
  return !tooLarge
}
