import type { Ctx } from '../platform/context.ts'
import type { PageRequest } from '../platform/db/paginate.ts'
import { findAllowed } from '../workspaces/index.ts'
import { loadSetViews } from './load-set-views.ts'
import { type SetScope, listSetPage } from './queries.ts'
import type { VariableSetDeps, VariableSetView } from './variable-set.ts'

/** Of what: an organization's, or those that reach a project or a workspace, global ones included. */
export type SetsOf = { organization: string } | { project: string } | { workspace: string }

/** By name. A workspace's are for whoever may read its variables. */
export const listVariableSets =
  (d: VariableSetDeps) =>
  async (ctx: Ctx, of: SetsOf, q: string | undefined, page: PageRequest): Promise<{ items: VariableSetView[]; total: number }> => {
    const { items, total } = await listSetPage(d.db, await scopeOf(d, ctx, of), q, page)
    return { items: await loadSetViews(d, ctx, d.db, items), total }
  }

const scopeOf = async (d: VariableSetDeps, ctx: Ctx, of: SetsOf): Promise<SetScope> => {
  if ('organization' in of) {
    return { organizationId: (await d.getOrganization(ctx, of.organization, 'variable-set:read')).id }
  }
  if ('project' in of) {
    const { id, organizationId } = await d.getProject(ctx, of.project, 'variable-set:read')
    return { organizationId, projectId: id }
  }
  const { row } = await findAllowed(d, ctx, d.db, { id: of.workspace }, 'variable:read')
  return { organizationId: row.organizationId, projectId: row.projectId, workspaceId: row.id }
}
