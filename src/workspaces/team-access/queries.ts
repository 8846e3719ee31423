import { asc, eq, inArray } from 'drizzle-orm'
import type { WorkspaceGrant } from '../../organizations/index.ts'
import { type PageRequest, offsetOf } from '../../platform/db/paginate.ts'
import { isId } from '../../platform/ids.ts'
import type { WorkspaceReader, WorkspaceTx } from '../workspace.ts'
import type { TeamAccessRow } from './team-access.ts'

/** What these teams were given on single workspaces. */
export const listGrantsOfTeams = async (reader: WorkspaceReader, teamIds: readonly string[]): Promise<WorkspaceGrant[]> => {
  const { teamWorkspaces, workspaces } = reader.t
  return reader
    .select({ workspaceId: workspaces.id, projectId: workspaces.projectId, access: teamWorkspaces.access })
    .from(teamWorkspaces)
    .innerJoin(workspaces, eq(workspaces.id, teamWorkspaces.workspaceId))
    .where(inArray(teamWorkspaces.teamId, [...teamIds]))
}

export const findTeamAccess = async (reader: WorkspaceReader, id: string): Promise<TeamAccessRow | undefined> => {
  if (!isId(id)) return undefined
  const [row] = await reader.select().from(reader.t.teamWorkspaces).where(eq(reader.t.teamWorkspaces.id, id))
  return row
}

/** Oldest first; without `page` all of them. */
export const listTeamAccessRows = async (
  reader: WorkspaceReader,
  workspaceId: string,
  page: PageRequest | undefined,
): Promise<{ items: TeamAccessRow[]; total: number }> => {
  const { teamWorkspaces } = reader.t
  const isOfWorkspace = eq(teamWorkspaces.workspaceId, workspaceId)
  const rows = reader.select().from(teamWorkspaces).where(isOfWorkspace).orderBy(asc(teamWorkspaces.createdAt), asc(teamWorkspaces.id))
  if (page !== undefined) {
    return { items: await rows.limit(page.size).offset(offsetOf(page)), total: await reader.$count(teamWorkspaces, isOfWorkspace) }
  }
  const items = await rows
  return { items, total: items.length }
}

export const insertTeamAccess = async (tx: WorkspaceTx, row: TeamAccessRow): Promise<void> => {
  await tx.insert(tx.t.teamWorkspaces).values(row)
}

export const saveTeamAccess = async (tx: WorkspaceTx, { id, access }: TeamAccessRow): Promise<void> => {
  await tx.update(tx.t.teamWorkspaces).set({ access }).where(eq(tx.t.teamWorkspaces.id, id))
}

export const deleteTeamAccessRow = async (tx: WorkspaceTx, id: string): Promise<void> => {
  await tx.delete(tx.t.teamWorkspaces).where(eq(tx.t.teamWorkspaces.id, id))
}
