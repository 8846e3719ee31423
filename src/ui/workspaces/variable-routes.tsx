import type { UiDeps } from '../deps.ts'
import { type Route, getPage } from '../http/route.ts'
import { namedWorkspace, workspaceCrumbs } from './named-workspace.ts'
import { VariablesPage } from './variables-page.tsx'

export const variableRoutes = (deps: UiDeps): Route[] => [
  getPage('/app/:org/workspaces/:ws/variables', async (visit) => {
    const view = await namedWorkspace(deps, visit)
    return {
      kind: 'page',
      title: `Variables of ${view.row.name}`,
      crumbs: workspaceCrumbs(view, 'Variables'),
      body: <VariablesPage view={view} variables={await deps.workspaces.listVariables(visit.ctx, view.row.id)} />,
    }
  }),
]
