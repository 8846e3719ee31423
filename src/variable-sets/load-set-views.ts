import type { Ctx } from '../platform/context.ts'
import { allowedAmong } from '../workspaces/index.ts'
import { type Link, listLinks } from './link-queries.ts'
import type { FoundSet } from './queries.ts'
import type { VariableSetDeps, VariableSetReader, VariableSetView } from './variable-set.ts'
import { listSetVariables } from './variables/queries.ts'

/** What the resources of a page need. Who sees a set through a workspace only is shown those workspaces that he may read. */
export const loadSetViews = async (
  d: VariableSetDeps,
  ctx: Ctx,
  reader: VariableSetReader,
  sets: readonly FoundSet[],
): Promise<VariableSetView[]> => {
  if (sets.length === 0) return []
  const ids = sets.map(({ row }) => row.id)
  const variables = await listSetVariables(reader, ids)
  const ofWorkspaces = await listLinks(reader, 'workspaces', ids)
  const ofProjects = await listLinks(reader, 'projects', ids)
  const targetsOf = (links: readonly Link[], id: string): string[] =>
    links.flatMap(({ variableSetId, targetId }) => (variableSetId === id ? targetId : []))

  const views: VariableSetView[] = []
  for (const { row, organizationName } of sets) {
    const permissions = await d.permissionsOf(ctx, row.organizationId, undefined, reader)
    const mayRead = permissions.has('variable-set:read')
    const workspaceIds = targetsOf(ofWorkspaces, row.id)
    const visible = mayRead ? undefined : await allowedAmong({ ...d, db: reader }, ctx, workspaceIds, 'workspace:read')
    views.push({
      row,
      organizationName,
      variableIds: variables.flatMap(({ id, variableSetId }) => (variableSetId === row.id ? id : [])),
      workspaceIds: visible === undefined ? workspaceIds : workspaceIds.filter((id) => visible.has(id)),
      projectIds: mayRead ? targetsOf(ofProjects, row.id) : [],
      mayChange: permissions.has('variable-set:write'),
    })
  }
  return views
}
