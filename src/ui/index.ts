import type { Hono } from 'hono'
import { accountRoutes } from './account/account-routes.tsx'
import { assetRoute } from './http/asset-route.ts'
import type { UiDeps } from './deps.ts'
import { serveRoutes } from './http/serve-routes.ts'
import { oauthRoutes } from './oauth/oauth-routes.tsx'
import { organizationRoutes } from './organizations/organization-routes.tsx'
import { runRoutes } from './runs/run-routes.tsx'
import { workspaceRoutes } from './workspaces/workspace-routes.tsx'

export { loadAssets } from './assets.ts'

/** Where pages are; everything else is the API's. */
const mounts = ['/', '/app', '/app/*', '/session', '/session/*', '/setup/*', '/oauth/*', '/assets/*']

/** The web pages, for `extraRoutes` of the API's server. */
export const makeUi = (deps: UiDeps): ((app: Hono) => void) => {
  const ui = serveRoutes(deps, [
    assetRoute(deps.assets),
    ...accountRoutes(deps),
    ...oauthRoutes(deps),
    ...organizationRoutes(deps),
    ...runRoutes(deps),
    ...workspaceRoutes(deps),
  ])
  return (app) => {
    for (const path of mounts) app.all(path, (c) => ui.fetch(c.req.raw, c.env))
  }
}
