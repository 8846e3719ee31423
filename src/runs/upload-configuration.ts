import type { ByteBody } from '../api/index.ts'
import { isoTime } from '../platform/clock.ts'
import type { Ctx } from '../platform/context.ts'
import { AppError, conflict, errorMessage, notFound } from '../platform/errors.ts'
import { isBackingDataDeleted } from '../state/index.ts'
import { findConfigurationVersion, hasRunOf, lockConfigurationVersion, saveConfigurationVersion } from './configuration-queries.ts'
import { addRun, type NewRun } from './create-run.ts'
import type { RunDeps } from './deps.ts'
import { failWaitingRuns } from './fail-waiting-runs.ts'
import { findExecutionMode, findWorkspace, lockWorkspace, type Reader } from './queries.ts'
import { uploadOrigin } from './run-origin.ts'
import type { ConfigurationVersionRow } from './run.ts'
import { advanceQueue } from './transition.ts'

/** Reads an archive to its end. Rejects with an error whose `code` is `BAD_SLUG` or `SLUG_TOO_LARGE` when it may not be used. */
export type ScanArchive = (archive: AsyncIterable<Uint8Array>) => Promise<void>

/**
 * Takes the archive of a version, checks it, and only then answers. A bad archive is a 422 and leaves the version `errored` with the
 * reason, and ends the runs that wait for it; the same URL takes another one, until a run uses the version (409). Waiting runs start; where the version asks for it, a run is
 * queued.
 */
export const uploadConfiguration =
  (d: RunDeps, scan: ScanArchive) =>
  async (ctx: Ctx, id: string, body: ByteBody): Promise<void> => {
    const seen = await findConfigurationVersion(d.db, id)
    if (seen === undefined) throw notFound()
    await refuseUsed(d.db, seen)
    const blob = await d.blobs.put(body.stream, { maxBytes: d.limits.configurationBytes })
    // A refused archive stays in the store: it is by content, and something else may be the same.
    const refusal = await scan(d.blobs.get(blob.key)).then(() => undefined, asRefusal)
    const run = refusal === undefined && seen.autoQueueRuns ? await newRunOf(d, seen) : undefined
    const now = isoTime(d.clock.now())
    await d.db.transaction(async (tx) => {
      await lockWorkspace(tx, seen.workspaceId)
      const row = await lockConfigurationVersion(tx, id)
      if (row === undefined) throw notFound()
      await refuseUsed(tx, row)
      const startedAt = { ...row.statusTimestamps, 'started-at': now }
      await saveConfigurationVersion(
        tx,
        id,
        refusal === undefined
          ? {
              status: 'uploaded',
              error: null,
              errorMessage: null,
              blobKey: blob.key,
              sizeBytes: blob.bytes,
              statusTimestamps: { ...startedAt, 'finished-at': now },
            }
          : {
              status: 'errored',
              error: 'invalid_archive',
              errorMessage: refusal.detail,
              blobKey: null,
              sizeBytes: null,
              statusTimestamps: startedAt,
            },
      )
      if (run !== undefined) await addRun(d, tx, { ...ctx, actor: { kind: 'system', name: 'configuration-upload' } }, run)
      else if (refusal === undefined) await advanceQueue(d, tx, seen.workspaceId)
      else await failWaitingRuns(d, tx, { workspaceId: seen.workspaceId, configurationVersionId: id }, refusal.detail)
    })
    if (refusal !== undefined) throw refusal
  }

/** Throws CONFLICT when a run may have read the content already. */
const refuseUsed = async (db: Reader, row: ConfigurationVersionRow): Promise<void> => {
  if (row.status === 'archived') throw conflict('The configuration version is archived. Create a new one.')
  if (isBackingDataDeleted(row.status)) throw conflict('The stored files of the configuration version were deleted. Create a new one.')
  if (row.status === 'uploaded' && (await hasRunOf(db, row.id))) {
    throw conflict('The configuration version is used by a run already. Create a new one.')
  }
}

const asRefusal = (error: unknown): AppError => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'BAD_SLUG' && code !== 'SLUG_TOO_LARGE') throw error
  return new AppError(code, errorMessage(error))
}

/** The run that an upload with `auto-queue-runs` starts, if the workspace has runs here; nobody has created it. */
const newRunOf = async (d: RunDeps, { id, workspaceId, mayAutoApply }: ConfigurationVersionRow): Promise<NewRun | undefined> => {
  const workspace = await findWorkspace(d.db, workspaceId)
  if (workspace === undefined) throw notFound()
  if ((await findExecutionMode(d.db, workspace)) === 'local') return undefined
  const { engine } = workspace
  return {
    input: { configurationVersion: id },
    workspaceId,
    engine,
    terraformVersion: await d.engines[engine].resolve(workspace.terraformVersion),
    origin: uploadOrigin,
    mayAutoApply: mayAutoApply ?? true,
  }
}
