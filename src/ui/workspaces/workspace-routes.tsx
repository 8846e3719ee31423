import type { UiDeps } from '../deps.ts'
import { type Route, getPage, redirectTo } from '../http/route.ts'
import { paths } from '../paths.ts'
import { lockRoutes } from './lock-routes.ts'
import { overviewRoutes } from './overview-routes.tsx'
import { stateRoutes } from './state-routes.tsx'
import { variableRoutes } from './variable-routes.tsx'

/** Pages of workspaces. After the exact ones come the short forms that the CLI and notifications use. */
export const workspaceRoutes = (deps: UiDeps): Route[] => [
  ...overviewRoutes(deps),
  ...stateRoutes(deps),
  ...variableRoutes(deps),
  ...lockRoutes(deps),
  getPage('/app/:org', async ({ params }) => redirectTo(paths.workspaces(params['org'] ?? ''))),
  getPage('/app/:org/:ws', async ({ params }) => redirectTo(paths.workspace(params['org'] ?? '', params['ws'] ?? ''))),
  getPage('/app/:org/:ws/runs', async ({ params }) => redirectTo(paths.workspace(params['org'] ?? '', params['ws'] ?? ''))),
  getPage('/app/:org/:ws/variables', async ({ params }) => redirectTo(paths.variables(params['org'] ?? '', params['ws'] ?? ''))),
]
