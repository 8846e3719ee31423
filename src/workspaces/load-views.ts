import type { Ctx } from '../platform/context.ts'
import { listProjectBindings } from '../organizations/index.ts'
import { groupBy } from './group-by.ts'
import { effectiveBindings } from './tags/effective-bindings.ts'
import { listBindings } from './tags/queries.ts'
import { listVariableIds } from './variables/queries.ts'
import type { Workspace, WorkspaceDeps, WorkspaceReader, WorkspaceView } from './workspace.ts'

/** What the resources of a page need, one query for each kind of thing however long the page is. */
export const loadViews = async (
  { permissionsOf, ports }: Pick<WorkspaceDeps, 'permissionsOf' | 'ports'>,
  ctx: Ctx,
  reader: WorkspaceReader,
  workspaces: readonly Workspace[],
): Promise<WorkspaceView[]> => {
  const ids = workspaces.map(({ row }) => row.id)
  const stateVersionIds = workspaces.flatMap(({ row }) => row.currentStateVersionId ?? [])
  const bindings = groupBy(await listBindings(reader, ids), ({ workspaceId }) => workspaceId)
  const ofProjects = groupBy(
    await listProjectBindings(reader, [...new Set(workspaces.map(({ row }) => row.projectId))]),
    ({ projectId }) => projectId,
  )
  const variables = groupBy(await listVariableIds(reader, ids), ({ workspaceId }) => workspaceId)
  const outputIds = stateVersionIds.length === 0 ? undefined : await ports.stateOf.outputIds(reader, stateVersionIds)

  const views: WorkspaceView[] = []
  for (const workspace of workspaces) {
    const { id, projectId, currentStateVersionId } = workspace.row
    const own = bindings.get(id) ?? []
    // one after the other: the first call looks the actor up, the others remember
    const permissions = await permissionsOf(ctx, workspace.organization.id, id, reader)
    views.push({
      ...workspace,
      permissions,
      bindings: own,
      effectiveBindings: effectiveBindings(own, ofProjects.get(projectId) ?? []),
      variableIds: permissions.has('variable:read') ? (variables.get(id) ?? []).map((variable) => variable.id) : [],
      outputIds: permissions.has('state:read-outputs') ? (outputIds?.get(currentStateVersionId ?? '') ?? []) : [],
    })
  }
  return views
}
