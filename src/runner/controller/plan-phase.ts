import { BlobKind, ShowKind } from '../gen/runner/v1/runner.ts'
import type { StepSummary } from '../tables.ts'
import type { Drive } from './drive.ts'
import { endPlan, endUnfinished } from './end-phase.ts'
import { fetchSchemas } from './fetch-schemas.ts'
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
    start: (runner, opId) => runner.plan(planRequest(material, { lease, opId })),
  })
  if (plan.outcome !== 'succeeded') return endUnfinished(drive, plan)
  if (!material.run.isPlanOnly && plan.hasChanges) drive.expectApply()
  // The engine shows the plan while the rest of it is fetched.
  const [show, kept] = await Promise.all([showPlan(drive), keepForApply(drive)])
  if (show.outcome !== 'succeeded') return endUnfinished(drive, show)
  const schemas = await fetchSchemas(drive, show.providers ?? [], kept.lockFileBlobKey)
  if (typeof schemas !== 'string') return endUnfinished(drive, schemas)
  const [planJsonBlobKey, redactedJsonBlobKey] = await Promise.all([
    get(drive, BlobKind.PLAN_JSON),
    get(drive, BlobKind.PLAN_JSON_REDACTED),
  ])
  await endPlan(drive, plan, { ...kept, planJsonBlobKey, redactedJsonBlobKey, schemasBlobKey: schemas })
}

const showPlan = (drive: Drive): Promise<StepSummary> =>
  runStep(drive, {
    name: 'show',
    start: (runner, opId) => runner.show({ lease: drive.lease, opId, kind: ShowKind.PLAN_JSON }),
  })

const get = async (drive: Drive, kind: BlobKind): Promise<string | null> =>
  (await withReconnect(drive, () => downloadBlob(drive, kind))) ?? null

const keepForApply = async (drive: Drive) => {
  const isApplicable = !drive.material.run.isPlanOnly
  const [planBlobKey, lockFileBlobKey, snapshotBlobKey] = await Promise.all([
    isApplicable ? get(drive, BlobKind.PLAN) : null,
    get(drive, BlobKind.LOCK_FILE),
    isApplicable ? get(drive, BlobKind.SNAPSHOT) : null,
  ])
  return { planBlobKey, lockFileBlobKey, snapshotBlobKey }
}
