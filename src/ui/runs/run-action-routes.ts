import { notFound } from '../../platform/errors.ts'
import type { UiDeps } from '../deps.ts'
import { type Route, postForm, redirectTo } from '../http/route.ts'
import { paths } from '../paths.ts'
import { namedWorkspace } from '../workspaces/named-workspace.ts'

export const runActionRoutes = (deps: UiDeps): Route[] => {
  const { runs } = deps
  const verbs = { apply: runs.confirmRun, discard: runs.discardRun, cancel: runs.cancelRun, 'force-cancel': runs.forceCancelRun }
  return Object.entries(verbs).map(([name, act]) =>
    postForm(`/app/:org/workspaces/:ws/runs/:run/${name}`, async (visit) => {
      const { row, organization } = await namedWorkspace(deps, visit)
      const { run } = await runs.getRun(visit.ctx, visit.params['run'] ?? '')
      if (run.workspaceId !== row.id) throw notFound()
      await act(visit.ctx, run.id, (visit.form.get('comment') ?? '').trim().slice(0, 1000) || undefined)
      return redirectTo(paths.run(organization.name, row.name, run.id))
    }),
  )
}
