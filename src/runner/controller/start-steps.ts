import type { BlobKind } from '../gen/runner/v1/runner.ts'
import { SMALL_BYTES } from '../runner.ts'
import type { StepSummary } from '../tables.ts'
import type { Drive } from './drive.ts'
import { logFormatOf, prepareRequest } from './prepare-request.ts'
import { runStep } from './run-step.ts'
import { uploadBlob } from './transfer.ts'
import { withReconnect } from './with-reconnect.ts'

const uploaded: StepSummary = { outcome: 'succeeded', hasChanges: false, hasGeneratedConfig: false, counts: null, errors: [] }

type Upload = { kind: BlobKind; key: string }

/**
 * What the engine needs is on the runner. A small blob comes with the request that needs it: a call for itself takes longer than its bytes.
 */
const prepare = async (drive: Drive, uploads: Upload[]): Promise<StepSummary> => {
  const { d, lease, material } = drive
  const sized = await Promise.all(uploads.map(async (upload) => ({ ...upload, isSmall: (await d.blobs.size(upload.key)) <= SMALL_BYTES })))
  const large = sized.filter(({ isSmall }) => !isSmall)
  if (large.length > 0 && drive.job.results['upload'] === undefined) {
    for (const { kind, key } of large) await withReconnect(drive, () => uploadBlob(drive, kind, key))
    await drive.fenced(async () => undefined, { results: { ...drive.job.results, upload: uploaded } })
  }
  const engine = await d.engines[material.run.engine].locate(material.run.terraformVersion)
  return runStep(drive, {
    name: 'prepare',
    start: async function* (runner, opId) {
      const access = await drive.fenced((tx) => d.access.grant(tx, material, drive.deadline))
      const small = sized.filter(({ isSmall }) => isSmall)
      const blobs = await Promise.all(small.map(async ({ kind, key }) => ({ kind, bytes: await d.blobs.read(key) })))
      yield* runner.prepare(prepareRequest(material, { lease, opId, engine, access, blobs }))
    },
  })
}

/** What both phases begin with. Answers the step that did not succeed, if one did not. */
export const prepareAndInit = async (
  drive: Drive,
  uploads: Upload[],
  { isLockFileFinal }: { isLockFileFinal: boolean },
): Promise<StepSummary | undefined> => {
  const { lease, material } = drive
  // The runner of the plan has it all, and so has one that another controller prepared.
  const prepared = drive.job.results['prepare'] ?? (await prepare(drive, uploads))
  if (prepared.outcome !== 'succeeded') return prepared
  const init = await runStep(drive, {
    name: 'init',
    start: (runner, opId) => runner.init({ lease, opId, lockfileReadonly: isLockFileFinal, logFormat: logFormatOf(material) }),
  })
  return init.outcome === 'succeeded' ? undefined : init
}
