import { join } from 'node:path'
import { BlobKind, type SmallBlob, type UploadFrame, type UploadHeader, type UploadReply } from '../gen/runner/v1/runner.ts'
import { RunnerError } from '../runner.ts'
import { slugLimits, snapshotLimits } from '../slug/limits.ts'
import { makeFileWriter } from './files/file-writer.ts'
import type { Session } from './session.ts'

const MIB = 1024 * 1024

/** What may be uploaded, and how large it may be. */
const LIMITS = new Map<BlobKind, number>([
  [BlobKind.SLUG, slugLimits.compressedBytes],
  [BlobKind.STATE, 512 * MIB],
  [BlobKind.PLAN, 1024 * MIB],
  [BlobKind.LOCK_FILE, 4 * MIB],
  [BlobKind.SNAPSHOT, snapshotLimits.compressedBytes],
])

/**
 * Receives one blob: header, data in order, end with the digest. `open` checks the lease of the header and answers the
 * session. Throws RunnerError `INVALID_ARGUMENT`, `RESOURCE_EXHAUSTED` (`SLUG_TOO_LARGE` for a slug), `FAILED_PRECONDITION`
 * after prepare, `DISK_FULL`; nothing is kept then.
 */
export const receiveUpload = async (frames: AsyncIterable<UploadFrame>, open: (header: UploadHeader) => Session): Promise<UploadReply> => {
  const iterator = frames[Symbol.asyncIterator]()
  try {
    const first = await iterator.next()
    const frame = first.done === true ? undefined : first.value.frame
    if (frame?.$case !== 'header') throw new RunnerError('INVALID_ARGUMENT', 'An upload begins with its header.')
    const session = open(frame.value)
    checkHeader(frame.value, session)
    return await receiveBody(iterator, frame.value, session)
  } finally {
    await iterator.return?.()
  }
}

const checkHeader = ({ kind, totalBytes }: UploadHeader, session: Session): void => {
  checkKind(kind, totalBytes)
  if (session.prepareStarted) throw new RunnerError('FAILED_PRECONDITION', 'Uploads come before prepare.')
}

const checkKind = (kind: BlobKind, totalBytes: number): void => {
  const limit = LIMITS.get(kind)
  if (limit === undefined) throw new RunnerError('INVALID_ARGUMENT', `Blobs of kind ${kind} cannot be uploaded.`)
  if (totalBytes > limit)
    throw new RunnerError(
      kind === BlobKind.SLUG ? 'SLUG_TOO_LARGE' : 'RESOURCE_EXHAUSTED',
      `The upload has ${totalBytes} bytes, ${limit} are allowed.`,
    )
}

const receiveBody = async (
  iterator: AsyncIterator<UploadFrame>,
  { kind, totalBytes }: UploadHeader,
  session: Session,
): Promise<UploadReply> => {
  const writer = await makeFileWriter(join(session.paths.uploads, String(kind)))
  try {
    for (;;) {
      const next = await iterator.next()
      const frame = next.done === true ? undefined : next.value.frame
      if (frame?.$case === 'data') {
        const { offset, bytes } = frame.value
        if (offset !== writer.bytes) throw new RunnerError('INVALID_ARGUMENT', `The data at ${offset} should be at ${writer.bytes}.`)
        if (writer.bytes + bytes.length > totalBytes)
          throw new RunnerError('RESOURCE_EXHAUSTED', `The upload is larger than the ${totalBytes} bytes it declared.`)
        await writer.write(bytes)
        continue
      }
      if (frame?.$case !== 'end') throw new RunnerError('INVALID_ARGUMENT', 'The upload stopped before its end frame.')
      if (writer.bytes !== totalBytes)
        throw new RunnerError('INVALID_ARGUMENT', `The upload has ${writer.bytes} bytes, ${totalBytes} were declared.`)
      const stored = await writer.commit()
      if (stored.sha256 !== frame.value.sha256)
        throw new RunnerError('INVALID_ARGUMENT', 'The digest of the upload is another one than declared.')
      session.uploads.set(kind, stored)
      return { blobId: String(kind), bytes: stored.bytes, sha256: stored.sha256 }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
      throw new RunnerError('DISK_FULL', 'The disk of the runner is full.', { cause: error })
    throw error
  } finally {
    await writer.abort()
  }
}

/** The same for a blob that came whole, with the request of the step that needs it. */
export const keepSmallBlob = async ({ kind, bytes }: SmallBlob, session: Session): Promise<void> => {
  checkKind(kind, bytes.length)
  const writer = await makeFileWriter(join(session.paths.uploads, String(kind)))
  try {
    await writer.write(bytes)
    session.uploads.set(kind, await writer.commit())
  } finally {
    await writer.abort()
  }
}
