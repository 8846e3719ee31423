import { closeSync } from 'node:fs'
import { join } from 'node:path'
import type { BlobKind } from '../../gen/runner/v1/runner.ts'
import type { Session } from '../session.ts'
import { type FileWriter, makeFileWriter, type StoredFile } from './file-writer.ts'
import { openJobFile } from './open-job-file.ts'
import { piecesOf } from './pieces-of.ts'

/** Lets `fill` write an artifact and offers it for download. Nothing is left when `fill` throws. */
export const storeArtifact = async (session: Session, kind: BlobKind, fill: (writer: FileWriter) => Promise<void>): Promise<StoredFile> => {
  const writer = await makeFileWriter(join(session.paths.artifacts, String(kind)))
  try {
    await fill(writer)
    const stored = await writer.commit()
    session.artifacts.set(kind, stored)
    return stored
  } finally {
    await writer.abort()
  }
}

/** The same with a copy of a file of the job; undefined when there is none. */
export const storeJobFile = async (session: Session, kind: BlobKind, path: string): Promise<StoredFile | undefined> => {
  const file = openJobFile(path, session.isolation)
  if (file === undefined) return undefined
  try {
    return await storeArtifact(session, kind, async (writer) => {
      for await (const piece of piecesOf(file)) await writer.write(piece)
    })
  } finally {
    closeSync(file)
  }
}
