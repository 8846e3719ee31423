import { readFileSync } from 'node:fs'
import type { Artifact, BlobKind } from '../../gen/runner/v1/runner.ts'
import { SMALL_BYTES } from '../../runner.ts'
import type { StoredFile } from './file-writer.ts'

/** What a result says of an artifact. A small one comes with it whole: a call for itself takes longer than its bytes. */
export const asArtifact = (kind: BlobKind, { path, bytes, sha256 }: StoredFile): Artifact => ({
  kind,
  bytes,
  sha256,
  content: bytes <= SMALL_BYTES ? readFileSync(path) : Buffer.alloc(0),
})
