import type { Page } from '../api/index.ts'
import type { Permission } from '../organizations/index.ts'
import { isoTime } from '../platform/clock.ts'
import type { Ctx } from '../platform/context.ts'
import { AppError, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import {
  findConfigurationVersion,
  hasRunOf,
  insertConfigurationVersion,
  listConfigurationVersions,
  lockConfigurationVersion,
  nextConfigurationPosition,
  saveConfigurationVersion,
} from './configuration-queries.ts'
import type { RunDeps } from './deps.ts'
import { findWorkspace, lockWorkspace, saveWorkspace } from './queries.ts'
import type { ConfigurationVersionRow } from './run.ts'
import type { CreateConfigurationVersion } from './schemas.ts'

const authorizeWorkspace = async (d: RunDeps, ctx: Ctx, workspaceId: string, permission: Permission): Promise<void> => {
  const workspace = await findWorkspace(d.db, workspaceId)
  if (workspace === undefined) throw notFound()
  await d.authorize(ctx, permission, { organizationId: workspace.organizationId, workspaceId })
}

/** A pending version, to be filled by a PUT to its upload URL. */
export const createConfigurationVersion =
  (d: RunDeps) =>
  async (ctx: Ctx, workspaceId: string, input: CreateConfigurationVersion): Promise<ConfigurationVersionRow> => {
    await authorizeWorkspace(d, ctx, workspaceId, 'run:plan')
    return d.db.transaction(async (tx) => {
      const { organizationId } = await lockWorkspace(tx, workspaceId)
      const now = d.clock.now()
      const row = await insertConfigurationVersion(tx, {
        id: newId('cv'),
        workspaceId,
        status: 'pending',
        source: ctx.client.terraformVersion === undefined ? 'tfe-api' : 'terraform',
        isSpeculative: input.speculative ?? false,
        isProvisional: input.provisional ?? false,
        autoQueueRuns: input.autoQueueRuns ?? true,
        mayAutoApply: (await d.permissionsOf(ctx, organizationId, workspaceId, tx)).has('run:apply'),
        statusTimestamps: { 'queued-at': isoTime(now) },
        createdAt: now,
        position: await nextConfigurationPosition(tx, workspaceId),
      })
      if (!row.isProvisional && !row.isSpeculative) await saveWorkspace(tx, workspaceId, { currentConfigurationVersionId: row.id })
      return row
    })
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
      const workspace = await lockWorkspace(tx, workspaceId)
      const row = await lockConfigurationVersion(tx, id)
      if (row === undefined) throw notFound()
      const refuse = (because: string): AppError =>
        new AppError('CONFLICT', `configuration could not be archived because it ${because}`, { title: 'transition not allowed' })
      if (workspace.currentConfigurationVersionId === id) throw refuse('is current')
      if (row.status !== 'uploaded') throw refuse(`is ${row.status}`)
      if (await hasRunOf(tx, id, { isOpen: true })) throw refuse('is used by a run in progress')
      const archivedAt = isoTime(d.clock.now())
      await saveConfigurationVersion(tx, id, {
        status: 'archived',
        blobKey: null,
        sizeBytes: null,
        statusTimestamps: { ...row.statusTimestamps, 'archived-at': archivedAt },
      })
    })
  }
