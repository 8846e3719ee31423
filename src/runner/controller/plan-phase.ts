import { BlobKind, ShowKind } from '../gen/runner/v1/runner.ts'
import type { Drive } from './drive.ts'
import { endPlan, endUnfinished } from './end-phase.ts'
import { planRequest } from './prepare-request.ts'
import { runStep } from './run-step.ts'
import { prepareAndInit } from './start-steps.ts'
import { downloadBlob } from './transfer.ts'
import { withReconnect } from './with-reconnect.ts'

/** Receive, init, plan, show, schemas; keeps what the apply and the readers of the plan need. */
export const planPhase = async (drive: Drive): Promise<void> => {
  const { lease, material } = drive
  const uploads = [
    { kind: BlobKind.SLUG, key: material.configurationBlobKey },
    ...(material.state === undefined ? [] : [{ kind: BlobKind.STATE, key: material.state.blobKey }]),
  ]
  const failed = await prepareAndInit(drive, uploads, { isLockFileFinal: false })
  if (failed !== undefined) return endUnfinished(drive, failed)

  const plan = await runStep(drive, {
    name: 'plan',
    isLogged: true,
    start: (runner, opId) => runner.plan(planRequest(material, { lease, opId })),
  })
  if (plan.outcome !== 'succeeded') return endUnfinished(drive, plan)
  const show = await runStep(drive, {
    name: 'show',
    isLogged: false,
    start: (runner, opId) => runner.show({ lease, opId, kind: ShowKind.PLAN_JSON }),
  })
  if (show.outcome !== 'succeeded') return endUnfinished(drive, show)
  const schemas = await runStep(drive, {
    name: 'schemas',
    isLogged: false,
    start: (runner, opId) => runner.providerSchemas({ lease, opId }),
  })
  if (schemas.outcome !== 'succeeded') return endUnfinished(drive, schemas)

  const get = async (kind: BlobKind): Promise<string | null> => (await withReconnect(drive, () => downloadBlob(drive, kind))) ?? null
  const isApplicable = !material.run.isPlanOnly
  await endPlan(drive, plan, {
    planBlobKey: isApplicable ? await get(BlobKind.PLAN) : null,
    lockFileBlobKey: isApplicable ? await get(BlobKind.LOCK_FILE) : null,
    snapshotBlobKey: isApplicable ? await get(BlobKind.SNAPSHOT) : null,
    planJsonBlobKey: await get(BlobKind.PLAN_JSON),
    redactedJsonBlobKey: await get(BlobKind.PLAN_JSON_REDACTED),
    schemasBlobKey: await get(BlobKind.PROVIDER_SCHEMAS),
  })
}
