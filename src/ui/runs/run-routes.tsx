import type { UiDeps } from '../deps.ts'
import type { Route } from '../http/route.ts'
import { makeReadPlan } from './changes/read-plan.ts'
import { runActionRoutes } from './run-action-routes.ts'
import { runEventRoute } from './run-event-route.ts'
import { runPageRoutes } from './run-page-routes.tsx'

/** The page of a run, what it can be told, and the stream that keeps it up to date. */
export const runRoutes = (deps: UiDeps): Route[] => [
  runEventRoute(deps),
  ...runActionRoutes(deps),
  ...runPageRoutes(deps, makeReadPlan(deps)),
]
