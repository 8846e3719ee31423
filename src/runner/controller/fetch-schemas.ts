import { BlobKind } from '../gen/runner/v1/runner.ts'
import { RunnerError } from '../runner.ts'
import type { StepSummary } from '../tables.ts'
import type { Drive } from './drive.ts'
import { findSchemas, saveSchemas } from './queries.ts'
import { runStep } from './run-step.ts'
import { fetchArtifact } from './transfer.ts'

/**
 * Key of the schemas of `providers` in the blob store: those that were fetched before for the same engine and lock file, else from the runner.
 * Answers the step's summary when it did not succeed.
 */
export const fetchSchemas = async (drive: Drive, providers: string[], lockFileBlobKey: string | null): Promise<string | StepSummary> => {
  const { d, lease, material } = drive
  const { engine, terraformVersion } = material.run
  const key = `${engine === 'terraform' ? '' : `${engine} `}${terraformVersion} ${lockFileBlobKey ?? 'without lock file'}`
  const known = await findSchemas(d.db, key, providers)
  if (known !== undefined) return known
  const step = await runStep(drive, {
    name: 'schemas',
    start: (runner, opId) => runner.providerSchemas({ lease, opId }),
  })
  if (step.outcome !== 'succeeded') return step
  const blobKey = await fetchArtifact(drive, 'schemas', BlobKind.PROVIDER_SCHEMAS)
  if (blobKey === undefined) throw new RunnerError('INTERNAL', 'the runner kept no provider schemas')
  await drive.fenced((tx) => saveSchemas(tx, { key, providers, blobKey, createdAt: d.clock.now() }))
  return blobKey
}
