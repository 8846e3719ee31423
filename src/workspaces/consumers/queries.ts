import { type SQL, and, asc, eq, inArray, ne } from 'drizzle-orm'
import { type PageRequest, offsetOf } from '../../platform/db/paginate.ts'
import type { Visible } from '../list/filter.ts'
import { selectWorkspaces } from '../queries.ts'
import type { Workspace, WorkspaceReader, WorkspaceRow, WorkspaceTx } from '../workspace.ts'

/** One page of those of the visible workspaces that may read the state of `source`, and how many there are. */
export const listConsumerPage = async (
  reader: WorkspaceReader,
  source: WorkspaceRow,
  visible: Visible,
  page: PageRequest,
): Promise<{ items: Workspace[]; total: number }> => {
  const { workspaces } = reader.t
  const where = and(whereConsumes(reader, source), visible === 'all' ? undefined : inArray(workspaces.id, [...visible]))
  const total = await reader.$count(workspaces, where)
  const items = await selectWorkspaces(reader).where(where).orderBy(asc(workspaces.nameKey)).limit(page.size).offset(offsetOf(page))
  return { items, total }
}

const whereConsumes = (reader: WorkspaceReader, source: WorkspaceRow): SQL | undefined => {
  const { workspaces, remoteStateConsumers } = reader.t
  const others = and(eq(workspaces.organizationId, source.organizationId), ne(workspaces.id, source.id))
  if (source.globalRemoteState) return others
  if (source.projectRemoteState) return and(others, eq(workspaces.projectId, source.projectId))
  const named = reader
    .select({ id: remoteStateConsumers.consumerId })
    .from(remoteStateConsumers)
    .where(eq(remoteStateConsumers.workspaceId, source.id))
  return and(others, inArray(workspaces.id, named))
}

/** Whether runs of the workspace `consumerId` may read the state of `workspaceId`. */
export const isConsumer = async (reader: WorkspaceReader, workspaceId: string, consumerId: string): Promise<boolean> => {
  const { workspaces } = reader.t
  const [source] = await reader.select().from(workspaces).where(eq(workspaces.id, workspaceId))
  if (source === undefined) return false
  return (await reader.$count(workspaces, and(whereConsumes(reader, source), eq(workspaces.id, consumerId)))) > 0
}

export const insertConsumers = async (tx: WorkspaceTx, workspaceId: string, consumerIds: readonly string[]): Promise<void> => {
  if (consumerIds.length === 0) return
  await tx
    .insert(tx.t.remoteStateConsumers)
    .values(consumerIds.map((consumerId) => ({ workspaceId, consumerId })))
    .onConflictDoNothing()
}

export const deleteConsumers = async (tx: WorkspaceTx, workspaceId: string, consumerIds: readonly string[]): Promise<void> => {
  const { remoteStateConsumers } = tx.t
  await tx
    .delete(remoteStateConsumers)
    .where(and(eq(remoteStateConsumers.workspaceId, workspaceId), inArray(remoteStateConsumers.consumerId, [...consumerIds])))
}

export const deleteAllConsumers = async (tx: WorkspaceTx, workspaceId: string): Promise<void> => {
  const { remoteStateConsumers } = tx.t
  await tx.delete(remoteStateConsumers).where(eq(remoteStateConsumers.workspaceId, workspaceId))
}
