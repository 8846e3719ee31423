import type { Ctx } from '../../platform/context.ts'
import type { PageRequest } from '../../platform/db/paginate.ts'
import { notFound } from '../../platform/errors.ts'
import { findAllowed } from '../find-allowed.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import { findTeamAccess, listTeamAccessRows } from './queries.ts'
import type { TeamAccessRow } from './team-access.ts'

/** Shown to whoever may read the workspace, as far as he sees the team. */
export const readTeamAccess = (deps: WorkspaceDeps) => ({
  getTeamAccess: async (ctx: Ctx, id: string): Promise<TeamAccessRow> => {
    const row = await findTeamAccess(deps.db, id)
    if (row === undefined) throw notFound()
    const { organization } = await findAllowed(deps, ctx, deps.db, { id: row.workspaceId }, 'workspace:read')
    if (!(await deps.seesTeam(ctx, deps.db, row.teamId, organization.id))) throw notFound()
    return row
  },

  listTeamAccess: async (
    ctx: Ctx,
    workspaceId: string,
    page: PageRequest | undefined,
  ): Promise<{ items: TeamAccessRow[]; total: number }> => {
    const { organization } = await findAllowed(deps, ctx, deps.db, { id: workspaceId }, 'workspace:read')
    const { items, total } = await listTeamAccessRows(deps.db, workspaceId, page)
    const seen: TeamAccessRow[] = []
    for (const row of items) if (await deps.seesTeam(ctx, deps.db, row.teamId, organization.id)) seen.push(row)
    return { items: seen, total: total - items.length + seen.length }
  },
})
