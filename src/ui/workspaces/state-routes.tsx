import { Readable } from 'node:stream'
import { usernamesOf } from '../components/usernames.ts'
import type { UiDeps } from '../deps.ts'
import { pageOf } from '../http/page-of.ts'
import { type Route, getPage } from '../http/route.ts'
import { namedWorkspace, workspaceCrumbs } from './named-workspace.ts'
import { StatesPage } from './states-page.tsx'

type ResponseBody = ConstructorParameters<typeof Response>[0]

/** The states of a workspace, and the bytes of one. */
export const stateRoutes = (deps: UiDeps): Route[] => [
  getPage('/app/:org/workspaces/:ws/states', async (visit) => {
    const view = await namedWorkspace(deps, visit)
    const page = pageOf(visit.query)
    const { items, total } = await deps.state.list(visit.ctx, { id: view.row.id }, undefined, page)
    const usernames = await usernamesOf(
      deps,
      items.map(({ version }) => version.createdByUserId),
    )
    return {
      kind: 'page',
      title: `States of ${view.row.name}`,
      crumbs: workspaceCrumbs(view, 'States'),
      body: <StatesPage view={view} states={items} usernames={usernames} page={page} total={total} />,
    }
  }),
  getPage('/app/:org/workspaces/:ws/states/:id/download', async ({ ctx, params }) => {
    const version = await deps.state.get(ctx, params['id'] ?? '')
    const { content, sizeBytes } = await deps.state.openDownload(version.id, 'state')
    const headers = {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="${version.id}.tfstate"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(sizeBytes === undefined ? {} : { 'content-length': String(sizeBytes) }),
    }
    // safe because the web streams of Node.js are what its Response takes
    return { kind: 'raw', response: new Response(Readable.toWeb(content) as ResponseBody, { headers }) }
  }),
]
