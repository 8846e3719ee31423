import type { FC } from 'hono/jsx'
import type { Session } from '../../accounts/index.ts'
import type { PhaseRow, RunView } from '../../runs/index.ts'
import type { WorkspaceView } from '../../workspaces/index.ts'
import { StatusPill } from '../components/status-pill.tsx'
import { TimeAgo } from '../components/time-ago.tsx'
import { paths } from '../paths.ts'
import { PlanChanges } from './changes/plan-changes.tsx'
import type { PlanSummary } from './changes/summarize-plan.ts'
import { RunFacts } from './run-facts.tsx'
import { RunQuestion } from './run-question.tsx'
import { runStatus } from './run-status.ts'
import { RunStops } from './run-stops.tsx'
import { kindOf, sourceOf } from './run-words.ts'
import { Stage } from './stage.tsx'

export type RunPageProps = {
  session: Session
  workspace: WorkspaceView
  view: RunView
  plan: PhaseRow
  apply: PhaseRow
  changes: PlanSummary | 'too-large' | undefined
  usernames: ReadonlyMap<string, string>
}

/** Parts with `data-live` are replaced while the page is open, when the server's text for them has changed. */
export const RunPage: FC<RunPageProps> = (props) => {
  const { session, workspace, view, plan, apply, changes, usernames } = props
  const { run } = view
  const path = paths.run(workspace.organization.name, workspace.row.name, run.id)
  return (
    <live-run data-src={paths.runEvents(run.id)} data-version={run.version} class="page run">
      <header class="run-head">
        <div class="grow" data-live="head">
          <div class="run-title">
            <h1>{run.message}</h1>
            <StatusPill status={runStatus(run)} />
          </div>
          <p class="muted meta">
            <span>
              <strong>{usernames.get(run.createdByUserId ?? '') ?? 'Terrane'}</strong>
              {` from ${sourceOf(run)}`}
            </span>
            <TimeAgo at={run.createdAt} />
            {kindOf(run) !== 'Plan and apply' && <span class="tag">{kindOf(run)}</span>}
          </p>
        </div>
        <div data-live="stops">
          <RunStops session={session} path={path} view={view} />
        </div>
      </header>
      <div class="columns">
        <ol class="stages">
          <Stage phase={plan} run={run}>
            <div data-live="changes">
              {changes === 'too-large' && <p class="muted change-more">The plan is too large to be shown here: read the log.</p>}
              {changes !== undefined && changes !== 'too-large' && <PlanChanges plan={changes} />}
            </div>
          </Stage>
          <Stage phase={apply} run={run}>
            <div data-live="question">
              <RunQuestion session={session} path={path} view={view} plan={plan} />
            </div>
          </Stage>
        </ol>
        <aside data-live="facts">
          <RunFacts workspace={workspace} view={view} usernames={usernames} />
        </aside>
      </div>
    </live-run>
  )
}
