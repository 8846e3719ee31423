import { readFile, rm } from 'node:fs/promises'
import { BlobKind } from '../../gen/runner/v1/runner.ts'
import { runCaptured } from '../engine/run-captured.ts'
import type { StoredFile } from '../files/file-writer.ts'
import { storeArtifact } from '../files/store-artifact.ts'
import type { StepOutput } from '../operation/make-operation.ts'
import { redactPlan } from '../redact/redact-plan.ts'
import type { Session } from '../session.ts'

/**
 * Shows a plan file as JSON and stores its redacted form as `kind`; the engine's own bytes are kept as `raw`, or not at all.
 */
export const showRedacted = async (
  session: Session,
  planFile: string,
  kind: BlobKind,
  raw: BlobKind | undefined,
  output: StepOutput,
): Promise<{ file: StoredFile; providers: string[] }> => {
  const whole = await runCaptured(session, ['show', '-json', planFile], raw ?? BlobKind.PLAN_JSON, output)
  const { text, providers } = redactPlan(await readFile(whole.path, 'utf8'), (text) => session.mask.text(text))
  if (raw === undefined) {
    session.artifacts.delete(BlobKind.PLAN_JSON)
    await rm(whole.path)
  }
  const file = await storeArtifact(session, kind, async (writer) => writer.write(Buffer.from(text)))
  return { file, providers }
}
