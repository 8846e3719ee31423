import type { UiDeps } from '../deps.ts'
import type { Route } from '../http/route.ts'
import { sessionRoutes } from './session-routes.tsx'
import { setupRoutes } from './setup-routes.tsx'
import { tokenRoutes } from './token-routes.tsx'

export const accountRoutes = (deps: UiDeps): Route[] => [...sessionRoutes(deps), ...setupRoutes(deps), ...tokenRoutes(deps)]
