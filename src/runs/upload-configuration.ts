import { eq } from 'drizzle-orm'
import type { ByteBody } from '../api/index.ts'
import { isoTime } from '../platform/clock.ts'
import type { Ctx } from '../platform/context.ts'
import { AppError, conflict, errorMessage, notFound } from '../platform/errors.ts'
import { createRun } from './create-run.ts'
import type { RunDeps } from './deps.ts'
import { findConfigurationVersion, saveConfigurationVersion } from './queries.ts'
import type { ConfigurationVersionRow } from './run.ts'
import { advanceQueue } from './transition.ts'

export type ScanArchive = (archive: AsyncIterable<Uint8Array>) => Promise<void>

/**
 * Takes the archive of a pending version, checks it, and only then answers. A bad archive is a 422 and leaves the version `errored` with
 * the reason; the same URL works once. Waiting runs start; where the version asks for it, a run is queued.
 */
export const uploadConfiguration =
  (d: RunDeps, scan: ScanArchive) =>
  async (ctx: Ctx, id: string, body: ByteBody): Promise<void> => {
    const row = await findConfigurationVersion(d.db, id)
    if (row === undefined) throw notFound()
    if (row.status !== 'pending')
      throw conflict(`The configuration version is ${row.status}: an upload URL works once. Create a new configuration version.`)
    const blob = await d.blobs.put(body.stream, { maxBytes: d.limits.configurationBytes })
    const refusal = await scan(d.blobs.get(blob.key)).then(
      () => undefined,
      (error: unknown) => error,
    )
    const now = isoTime(d.clock.now())
    const patch: Partial<ConfigurationVersionRow> =
      refusal === undefined
        ? {
            status: 'uploaded',
            blobKey: blob.key,
            sizeBytes: blob.bytes,
            statusTimestamps: { ...row.statusTimestamps, 'started-at': now, 'finished-at': now },
          }
        : {
            status: 'errored',
            error: 'invalid_archive',
            errorMessage: errorMessage(refusal),
            statusTimestamps: { ...row.statusTimestamps, 'started-at': now },
          }
    await d.db.transaction(async (tx) => {
      const { workspaces } = tx.t
      await tx.forUpdate(tx.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, row.workspaceId)))
      const current = await findConfigurationVersion(tx, id)
      if (current?.status !== 'pending') throw conflict('The configuration version was uploaded meanwhile.')
      await saveConfigurationVersion(tx, id, patch)
      if (patch.status === 'uploaded') await advanceQueue(d, tx, row.workspaceId)
    })
    if (refusal !== undefined) {
      await d.blobs.delete(blob.key)
      throw refusal instanceof AppError ? refusal : new AppError('BAD_SLUG', errorMessage(refusal))
    }
    if (row.autoQueueRuns) await queueRun(d, ctx, row)
  }

/** The run that an upload with `auto-queue-runs` starts; nobody has created it. */
const queueRun = async (d: RunDeps, ctx: Ctx, row: ConfigurationVersionRow): Promise<void> => {
  await createRun(d)(
    { ...ctx, actor: { kind: 'system', name: 'configuration-upload' } },
    { workspace: row.workspaceId, configurationVersion: row.id },
    { source: 'tfe-configuration-version', message: 'Configuration uploaded directly from the API', readsJsonLogs: true },
  )
}
