import { chunks } from '../../platform/blobs/chunks.ts'
import type { BlobKind, UploadFrame } from '../gen/runner/v1/runner.ts'
import { CHUNK_BYTES, RunnerError } from '../runner.ts'
import type { Drive } from './drive.ts'
import { withReconnect } from './with-reconnect.ts'

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

/**
 * Key in the blob store of an artifact of a finished step, undefined when it left none of the kind: from its result, where that held it, else
 * streamed from the runner.
 */
export const fetchArtifact = async (drive: Drive, step: string, kind: BlobKind): Promise<string | undefined> => {
  const left = drive.job.results[step]?.artifacts
  const artifact = left?.find((each) => each.kind === kind)
  if (left !== undefined && artifact === undefined) return undefined
  const content = artifact && drive.sent.get(artifact.sha256)
  return content === undefined ? withReconnect(drive, () => download(drive, kind)) : store(drive, chunks(content), () => artifact?.sha256)
}

const download = async (drive: Drive, kind: BlobKind): Promise<string | undefined> => {
  let declared = ''
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of drive.runner().download({ lease: drive.lease, kind })) {
      if (chunk.bytes.length > 0) yield chunk.bytes
      if (chunk.last) declared = chunk.sha256
    }
  }
  try {
    return await store(drive, bytes(), () => declared)
  } catch (error) {
    if (error instanceof RunnerError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

const store = async ({ d }: Drive, bytes: AsyncIterable<Uint8Array>, declared: () => string | undefined): Promise<string> => {
  const { key } = await d.blobs.put(bytes, { maxBytes: d.limits.artifactBytes })
  if (key !== declared()) throw new RunnerError('UNAVAILABLE', 'an artifact of the runner arrived incomplete')
  return key
}
