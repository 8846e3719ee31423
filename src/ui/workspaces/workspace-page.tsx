import type { FC } from 'hono/jsx'
import type { Session } from '../../accounts/index.ts'
import { engineTitles } from '../../platform/engine-name.ts'
import type { RunView } from '../../runs/index.ts'
import { type WorkspaceView, executionModeOf } from '../../workspaces/index.ts'
import { CopyText } from '../components/copy-text.tsx'
import { Pager } from '../components/pager.tsx'
import { RunList } from '../runs/run-list.tsx'
import { LockCard } from './lock-card.tsx'
import { WorkspaceHead } from './workspace-head.tsx'

type Props = {
  session: Session
  view: WorkspaceView
  runs: readonly RunView[]
  usernames: ReadonlyMap<string, string>
  page: { number: number; size: number }
  total: number
}

export const WorkspacePage: FC<Props> = ({ session, view, runs, usernames, page, total }) => {
  const { row, organization } = view
  return (
    <section class="page">
      <WorkspaceHead view={view} tab="overview" />
      <div class="columns">
        <div>
          {runs.length === 0 ? (
            <div class="card">
              <p>
                No runs yet. Start one with <code>terraform plan</code> or <code>terraform apply</code> in a directory that names this
                workspace.
              </p>
            </div>
          ) : (
            <RunList organization={organization.name} workspace={row.name} runs={runs} usernames={usernames} />
          )}
          <Pager {...page} total={total} href={(number) => `?page=${number}`} />
        </div>
        <aside class="stack">
          <LockCard session={session} view={view} usernames={usernames} />
          <dl class="card facts">
            <dt>Resources</dt>
            <dd>{String(row.resourceCount)}</dd>
            <dt>{engineTitles[row.engine]}</dt>
            <dd>{row.terraformVersion}</dd>
            <dt>Execution</dt>
            <dd>{executionModeOf(view) === 'remote' ? 'On this server' : 'On your computer'}</dd>
            <dt>Auto-apply</dt>
            <dd>{row.autoApply ? 'Yes' : 'No, asks first'}</dd>
            {row.workingDirectory !== '' && (
              <>
                <dt>Directory</dt>
                <dd>
                  <code>{row.workingDirectory}</code>
                </dd>
              </>
            )}
            <dt>ID</dt>
            <dd>
              <CopyText text={row.id} label="workspace id" />
            </dd>
          </dl>
        </aside>
      </div>
    </section>
  )
}
