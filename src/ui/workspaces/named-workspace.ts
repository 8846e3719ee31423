import type { WorkspaceView } from '../../workspaces/index.ts'
import type { UiDeps } from '../deps.ts'
import type { Crumb, Visit } from '../http/route.ts'
import { paths } from '../paths.ts'

/** The workspace that the address names. Throws NOT_FOUND. */
export const namedWorkspace = ({ workspaces }: Pick<UiDeps, 'workspaces'>, { ctx, params }: Visit): Promise<WorkspaceView> =>
  workspaces.getWorkspace(ctx, { organization: params['org'] ?? '', name: params['ws'] ?? '' })

/** From the organization down to the workspace, or to `last` in it. */
export const workspaceCrumbs = ({ row, organization }: WorkspaceView, last?: string): Crumb[] => {
  const own = { label: row.name, href: paths.workspace(organization.name, row.name) }
  const above = { label: organization.name, href: paths.workspaces(organization.name) }
  return last === undefined ? [above, { label: row.name }] : [above, own, { label: last }]
}
