import { eq } from 'drizzle-orm'
import type { Page } from '../api/index.ts'
import type { Permission } from '../organizations/index.ts'
import { isoTime } from '../platform/clock.ts'
import type { Ctx } from '../platform/context.ts'
import { AppError, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { RunDeps } from './deps.ts'
import {
  findConfigurationVersion,
  hasOpenRunOf,
  insertConfigurationVersion,
  listConfigurationVersions,
  nextConfigurationPosition,
  saveConfigurationVersion,
} from './queries.ts'
import type { ConfigurationVersionRow, RunTx } from './run.ts'
import type { CreateConfigurationVersion } from './schemas.ts'

const authorizeWorkspace = async (d: RunDeps, ctx: Ctx, workspaceId: string, permission: Permission): Promise<void> => {
  const { workspaces } = d.db.t
  const found = await d.db.select({ organizationId: workspaces.organizationId }).from(workspaces).where(eq(workspaces.id, workspaceId))
  if (found[0] === undefined) throw notFound()
  await d.authorize(ctx, permission, { organizationId: found[0].organizationId, workspaceId })
}

/** A pending version, to be filled by a PUT to its upload URL. */
export const createConfigurationVersion =
  (d: RunDeps) =>
  async (ctx: Ctx, workspaceId: string, input: CreateConfigurationVersion): Promise<ConfigurationVersionRow> => {
    await authorizeWorkspace(d, ctx, workspaceId, 'run:plan')
    return d.db.transaction(async (tx) => {
      const { workspaces } = tx.t
      const locked = await tx.forUpdate(tx.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, workspaceId)))
      if (locked[0] === undefined) throw notFound()
      const now = d.clock.now()
      const row = await insertConfigurationVersion(tx, {
        id: newId('cv'),
        workspaceId,
        status: 'pending',
        source: ctx.client.terraformVersion === undefined ? 'tfe-api' : 'terraform',
        isSpeculative: input.speculative ?? false,
        isProvisional: input.provisional ?? false,
        autoQueueRuns: input.autoQueueRuns ?? true,
        statusTimestamps: { 'queued-at': isoTime(now) },
        createdAt: now,
        position: await nextConfigurationPosition(tx, workspaceId),
      })
      if (!row.isProvisional) await makeCurrent(tx, row)
      return row
    })
  }

const makeCurrent = async (tx: RunTx, row: ConfigurationVersionRow): Promise<void> => {
  await tx.update(tx.t.workspaces).set({ currentConfigurationVersionId: row.id }).where(eq(tx.t.workspaces.id, row.workspaceId))
}

/** Throws NOT_FOUND. */
export const getConfigurationVersion =
  (d: RunDeps) =>
  async (ctx: Ctx, id: string): Promise<ConfigurationVersionRow> => {
    const row = await findConfigurationVersion(d.db, id)
    if (row === undefined) throw notFound()
    await authorizeWorkspace(d, ctx, row.workspaceId, 'run:read')
    return row
  }

export const listConfigurations =
  (d: RunDeps) =>
  async (ctx: Ctx, workspaceId: string, page: Page): Promise<{ items: ConfigurationVersionRow[]; totalCount: number }> => {
    await authorizeWorkspace(d, ctx, workspaceId, 'run:read')
    return listConfigurationVersions(d.db, workspaceId, page)
  }

/** The uploaded bytes, exactly. Throws NOT_FOUND when there are none. */
export const downloadConfiguration =
  (d: RunDeps) =>
  async (ctx: Ctx, id: string): Promise<{ content: AsyncIterable<Buffer>; sizeBytes: number }> => {
    const row = await getConfigurationVersion(d)(ctx, id)
    if (row.status !== 'uploaded' || row.blobKey === null || row.sizeBytes === null) throw notFound()
    return { content: d.blobs.get(row.blobKey), sizeBytes: row.sizeBytes }
  }

/** Archives a version that nothing needs any more. Throws 409 when it is current, in use or not uploaded. */
export const archiveConfiguration =
  (d: RunDeps) =>
  async (ctx: Ctx, id: string): Promise<void> => {
    const { workspaceId } = await getConfigurationVersion(d)(ctx, id)
    await authorizeWorkspace(d, ctx, workspaceId, 'run:plan')
    await d.db.transaction(async (tx) => {
      const { workspaces } = tx.t
      const rows = await tx.forUpdate(
        tx.select({ current: workspaces.currentConfigurationVersionId }).from(workspaces).where(eq(workspaces.id, workspaceId)),
      )
      const row = await findConfigurationVersion(tx, id)
      if (row === undefined) throw notFound()
      const refuse = (because: string): AppError =>
        new AppError('CONFLICT', `configuration could not be archived because it ${because}`, { title: 'transition not allowed' })
      if (rows[0]?.current === id) throw refuse('is current')
      if (row.status !== 'uploaded') throw refuse(`is ${row.status}`)
      if (await hasOpenRunOf(tx, id)) throw refuse('is used by a run in progress')
      const archivedAt = isoTime(d.clock.now())
      await saveConfigurationVersion(tx, id, {
        status: 'archived',
        blobKey: null,
        sizeBytes: null,
        statusTimestamps: { ...row.statusTimestamps, 'archived-at': archivedAt },
      })
    })
  }
