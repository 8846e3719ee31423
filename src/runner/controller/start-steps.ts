import type { BlobKind } from '../gen/runner/v1/runner.ts'
import type { StepSummary } from '../tables.ts'
import type { Drive } from './drive.ts'
import { logFormatOf, prepareRequest } from './prepare-request.ts'
import { runStep } from './run-step.ts'
import { uploadBlob } from './transfer.ts'
import { withReconnect } from './with-reconnect.ts'

const uploaded: StepSummary = { outcome: 'succeeded', hasChanges: false, hasGeneratedConfig: false, counts: null, errors: [] }

/** What both phases begin with. Answers the step that did not succeed, if one did not. */
export const prepareAndInit = async (
  drive: Drive,
  uploads: { kind: BlobKind; key: string }[],
  { isLockFileFinal }: { isLockFileFinal: boolean },
): Promise<StepSummary | undefined> => {
  const { d, lease, material } = drive
  if (drive.job.results['upload'] === undefined) {
    for (const { kind, key } of uploads) await withReconnect(drive, () => uploadBlob(drive, kind, key))
    await drive.fenced(async () => undefined, { results: { ...drive.job.results, upload: uploaded } })
  }
  const engine = await d.engines[material.run.engine].locate(material.run.terraformVersion)
  const prepare = await runStep(drive, {
    name: 'prepare',
    start: async function* (runner, opId) {
      const access = await drive.fenced((tx) => d.access.grant(tx, material, drive.deadline))
      yield* runner.prepare(prepareRequest(material, { lease, opId, engine, access }))
    },
  })
  if (prepare.outcome !== 'succeeded') return prepare
  const init = await runStep(drive, {
    name: 'init',
    start: (runner, opId) => runner.init({ lease, opId, lockfileReadonly: isLockFileFinal, logFormat: logFormatOf(material) }),
  })
  return init.outcome === 'succeeded' ? undefined : init
}
