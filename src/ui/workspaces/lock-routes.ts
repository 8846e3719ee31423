import type { UiDeps } from '../deps.ts'
import { type Route, postForm, redirectTo } from '../http/route.ts'
import { paths } from '../paths.ts'
import { namedWorkspace } from './named-workspace.ts'

export const lockRoutes = (deps: UiDeps): Route[] => {
  const { workspaces } = deps
  const verbs = {
    lock: workspaces.lockWorkspace,
    unlock: workspaces.unlockWorkspace,
    'force-unlock': workspaces.forceUnlockWorkspace,
  }
  return Object.entries(verbs).map(([name, change]) =>
    postForm(`/app/:org/workspaces/:ws/${name}`, async (visit) => {
      const { row, organization } = await namedWorkspace(deps, visit)
      await change(visit.ctx, row.id, (visit.form.get('reason') ?? '').trim().slice(0, 200))
      return redirectTo(paths.workspace(organization.name, row.name))
    }),
  )
}
