import type { BlobKind, UploadFrame } from '../gen/runner/v1/runner.ts'
import { CHUNK_BYTES, RunnerError } from '../runner.ts'
import type { Drive } from './drive.ts'

/** Streams a blob to the runner. */
export const uploadBlob = async (drive: Drive, kind: BlobKind, blobKey: string): Promise<void> => {
  const { blobs } = drive.d
  const totalBytes = await blobs.size(blobKey)
  const frames = async function* (): AsyncGenerator<UploadFrame> {
    yield { frame: { $case: 'header', value: { lease: drive.lease, kind, totalBytes } } }
    let offset = 0
    for await (const part of blobs.get(blobKey)) {
      for (let at = 0; at < part.length; at += CHUNK_BYTES) {
        const bytes = part.subarray(at, at + CHUNK_BYTES)
        yield { frame: { $case: 'data', value: { offset, bytes } } }
        offset += bytes.length
      }
    }
    yield { frame: { $case: 'end', value: { sha256: blobKey } } }
  }
  const reply = await drive.runner().upload(frames())
  if (reply.sha256 !== blobKey) throw new RunnerError('INTERNAL', 'the runner stored other bytes than were sent')
}

/** Streams an artifact of the runner into the blob store; undefined when there is none. */
export const downloadBlob = async (drive: Drive, kind: BlobKind): Promise<string | undefined> => {
  let declared = ''
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of drive.runner().download({ lease: drive.lease, kind })) {
      if (chunk.bytes.length > 0) yield chunk.bytes
      if (chunk.last) declared = chunk.sha256
    }
  }
  try {
    const stored = await drive.d.blobs.put(bytes(), { maxBytes: drive.d.limits.artifactBytes })
    if (stored.key !== declared) throw new RunnerError('UNAVAILABLE', 'an artifact of the runner arrived incomplete')
    return stored.key
  } catch (error) {
    if (error instanceof RunnerError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}
