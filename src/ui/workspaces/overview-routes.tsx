import type { UiDeps } from '../deps.ts'
import { usernamesOf } from '../components/usernames.ts'
import { pageOf } from '../http/page-of.ts'
import { type Route, getPage } from '../http/route.ts'
import { namedWorkspace, workspaceCrumbs } from './named-workspace.ts'
import { WorkspacePage } from './workspace-page.tsx'
import { WorkspacesPage } from './workspaces-page.tsx'

/** Without this a list of runs has no plan-only ones. */
const EVERY_OPERATION = ['plan_and_apply', 'plan_only', 'save_plan', 'refresh_only', 'destroy', 'empty_apply']

/** The list of workspaces, and one with its runs. */
export const overviewRoutes = (deps: UiDeps): Route[] => [
  getPage('/app/:org/workspaces', async ({ ctx, params, query }) => {
    const organization = await deps.organizations.getOrganization(ctx, params['org'] ?? '')
    const [page, search] = [pageOf(query), (query.get('q') ?? '').slice(0, 200)]
    const filter = search === '' ? {} : { name: search }
    const { items, total } = await deps.workspaces.listWorkspaces(ctx, organization.name, filter, 'name', page)
    const runs = await deps.runs.listReadableRuns(
      ctx,
      items.flatMap(({ row }) => row.currentRunId ?? []),
    )
    return {
      kind: 'page',
      title: `Workspaces of ${organization.name}`,
      crumbs: [{ label: organization.name }],
      body: (
        <WorkspacesPage
          organization={organization.name}
          hostname={deps.hostname}
          workspaces={items}
          runs={runs}
          search={search}
          page={page}
          total={total}
        />
      ),
    }
  }),
  getPage('/app/:org/workspaces/:ws', async (visit) => {
    const view = await namedWorkspace(deps, visit)
    const page = pageOf(visit.query)
    const { items, total } = await deps.runs.listWorkspaceRuns(visit.ctx, view.row.id, { operations: EVERY_OPERATION }, page)
    const usernames = await usernamesOf(deps, [view.row.lockedById, ...items.map(({ run }) => run.createdByUserId)])
    return {
      kind: 'page',
      title: view.row.name,
      crumbs: workspaceCrumbs(view),
      body: <WorkspacePage session={visit.session} view={view} runs={items} usernames={usernames} page={page} total={total} />,
    }
  }),
]
