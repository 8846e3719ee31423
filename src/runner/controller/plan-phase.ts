import { BlobKind, ShowKind } from '../gen/runner/v1/runner.ts'
import type { Drive } from './drive.ts'
import { endPlan, endUnfinished } from './end-phase.ts'
import { fetchSchemas } from './fetch-schemas.ts'
import { planRequest } from './prepare-request.ts'
import { runStep } from './run-step.ts'
import { prepareAndInit } from './start-steps.ts'
import { fetchArtifact } from './transfer.ts'

/** Receive, init, plan, show, schemas; keeps what the apply and the readers of the plan need. */
export const planPhase = async (drive: Drive): Promise<void> => {
  const { lease, material } = drive
  const get = async (step: string, kind: BlobKind): Promise<string | null> => (await fetchArtifact(drive, step, kind)) ?? null
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
  const isApplicable = !material.run.isPlanOnly
  if (isApplicable && plan.hasChanges) drive.expectApply()
  // The engine shows the plan while the rest of it is fetched.
  const [show, lockFileBlobKey, planBlobKey] = await Promise.all([
    runStep(drive, { name: 'show', start: (runner, opId) => runner.show({ lease, opId, kind: ShowKind.PLAN_JSON }) }),
    get('init', BlobKind.LOCK_FILE),
    isApplicable ? get('plan', BlobKind.PLAN) : null,
  ])
  if (show.outcome !== 'succeeded') return endUnfinished(drive, show)
  const schemas = await fetchSchemas(drive, show.providers ?? [], lockFileBlobKey)
  if (typeof schemas !== 'string') return endUnfinished(drive, schemas)
  const [planJsonBlobKey, redactedJsonBlobKey, snapshotBlobKey] = await Promise.all([
    get('show', BlobKind.PLAN_JSON),
    get('show', BlobKind.PLAN_JSON_REDACTED),
    isApplicable ? get('show', BlobKind.SNAPSHOT) : null,
  ])
  await endPlan(drive, plan, {
    planBlobKey,
    lockFileBlobKey,
    snapshotBlobKey,
    planJsonBlobKey,
    redactedJsonBlobKey,
    schemasBlobKey: schemas,
  })
}
