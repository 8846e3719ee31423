import { Readable } from 'node:stream'
import { notFound } from '../../platform/errors.ts'
import { usernamesOf } from '../components/usernames.ts'
import type { UiDeps } from '../deps.ts'
import { type Answer, type Route, type SignedInVisit, getPage } from '../http/route.ts'
import { workspaceCrumbs, namedWorkspace } from '../workspaces/named-workspace.ts'
import type { ReadPlan } from './changes/read-plan.ts'
import { RunPage } from './run-page.tsx'

const CHUNK_BYTES = 256 * 1024

type ResponseBody = ConstructorParameters<typeof Response>[0]

/** Under the address of the workspace's pages, and under the shorter one that the CLI prints. `?log=plan` is the text of the log alone. */
export const runPageRoutes = (deps: UiDeps, readPlan: ReadPlan): Route[] => {
  const handle = async (visit: SignedInVisit): Promise<Answer> => {
    const { ctx, params, query, session } = visit
    const workspace = await namedWorkspace(deps, visit)
    const view = await deps.runs.getRun(ctx, params['run'] ?? '')
    const { run } = view
    if (run.workspaceId !== workspace.row.id) throw notFound()
    const log = query.get('log')
    if (log === 'plan' || log === 'apply') return rawLog(deps, log === 'plan' ? run.planId : run.applyId)
    const { phase: plan } = await deps.runs.getPhase(ctx, 'plan', run.planId)
    const { phase: apply } = await deps.runs.getPhase(ctx, 'apply', run.applyId)
    const usernames = await usernamesOf(deps, [run.createdByUserId, ...view.events.map((event) => event.actorUserId)])
    return {
      kind: 'page',
      title: run.message.split('\n')[0] ?? run.id,
      crumbs: workspaceCrumbs(workspace, run.id),
      body: (
        <RunPage
          session={session}
          workspace={workspace}
          view={view}
          plan={plan}
          apply={apply}
          changes={await readPlan(ctx, run.planId)}
          usernames={usernames}
        />
      ),
    }
  }
  return [getPage('/app/:org/workspaces/:ws/runs/:run', handle), getPage('/app/:org/:ws/runs/:run', handle)]
}

/** The caller has read the run already. */
const rawLog = (deps: Pick<UiDeps, 'runs'>, phaseId: string): Answer => {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  }
  // safe because the web streams of Node.js are what its Response takes
  return { kind: 'raw', response: new Response(Readable.toWeb(Readable.from(logText(deps, phaseId))) as ResponseBody, { headers }) }
}

/** Without the markers of the framed log: its first byte, and its last once the phase has ended. */
const logText = async function* ({ runs }: Pick<UiDeps, 'runs'>, phaseId: string): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  for (let offset = 1; ;) {
    const bytes = await runs.readLog(phaseId, offset, CHUNK_BYTES)
    if (bytes.length === 0) break
    if (held.length > 0) yield held
    held = bytes
    offset += bytes.length
  }
  if (held.length > 0) yield held.at(-1) === 3 ? held.subarray(0, -1) : held
}
