import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { BlobKind, type Chunk } from '../gen/runner/v1/runner.ts'
import { CHUNK_BYTES, RunnerError } from '../runner.ts'
import { openJobFile } from './files/open-job-file.ts'
import type { Session } from './session.ts'

/** Streams an artifact, or the present state file. Throws RunnerError `NOT_FOUND` when there is none. `guard` throws to end the stream. */
export async function* sendDownload(session: Session, kind: BlobKind, guard: () => void): AsyncGenerator<Chunk> {
  if (kind === BlobKind.SNAPSHOT) await session.snapshot
  const artifact = session.artifacts.get(kind)
  const file = kind === BlobKind.STATE ? openJobFile(session.paths.stateFile, session.isolation) : artifact && openSync(artifact.path, 'r')
  if (file === undefined) throw new RunnerError('NOT_FOUND', `There is no artifact of kind ${kind}.`)
  try {
    const totalBytes = fstatSync(file).size
    const hash = createHash('sha256')
    for (let sent = 0; ;) {
      const bytes = Buffer.alloc(Math.min(CHUNK_BYTES, totalBytes - sent))
      for (let at = 0; at < bytes.length;) {
        const bytesRead = readSync(file, bytes, at, bytes.length - at, sent + at)
        if (bytesRead === 0) throw new RunnerError('UNAVAILABLE', 'The file became shorter while it was sent.')
        at += bytesRead
      }
      hash.update(bytes)
      sent += bytes.length
      const last = sent === totalBytes
      guard()
      yield { bytes, last, sha256: last ? hash.digest('hex') : '', totalBytes }
      if (last) return
    }
  } finally {
    closeSync(file)
  }
}
