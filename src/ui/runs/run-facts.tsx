import type { FC } from 'hono/jsx'
import { engineTitles } from '../../platform/engine-name.ts'
import type { RunView } from '../../runs/index.ts'
import type { WorkspaceView } from '../../workspaces/index.ts'
import { CopyText } from '../components/copy-text.tsx'
import { TimeAgo } from '../components/time-ago.tsx'
import { paths } from '../paths.ts'
import { kindOf } from './run-words.ts'

type Props = { workspace: WorkspaceView; view: RunView; usernames: ReadonlyMap<string, string> }

/** What one may want to know besides, and what happened so far. */
export const RunFacts: FC<Props> = ({ workspace: { row, organization }, view, usernames }) => {
  const { run, comments, events } = view
  const commentOf = (id: string | null): string | undefined => comments.find((comment) => comment.id === id)?.body
  return (
    <div class="stack">
      <dl class="card facts">
        <dt>Workspace</dt>
        <dd>
          <a href={paths.workspace(organization.name, row.name)}>{row.name}</a>
        </dd>
        <dt>Run</dt>
        <dd>
          <CopyText text={run.id} label="run id" />
        </dd>
        <dt>Kind</dt>
        <dd>{kindOf(run)}</dd>
        <dt>{engineTitles[run.engine]}</dt>
        <dd>{run.terraformVersion}</dd>
        {!run.isPlanOnly && (
          <>
            <dt>Auto-apply</dt>
            <dd>{run.autoApply ? 'Yes' : 'No, asks first'}</dd>
          </>
        )}
        <Addresses label="Targets" addresses={run.targetAddrs} />
        <Addresses label="Replaces" addresses={run.replaceAddrs} />
      </dl>
      <section class="card activity" aria-label="Activity">
        <h2>Activity</h2>
        <ol>
          {events.map((event) => (
            <li>
              <span>
                {`${sentence(event.action)}${event.actorUserId === null ? '' : ` by ${usernames.get(event.actorUserId) ?? event.actorUserId}`}`}
              </span>
              <TimeAgo at={event.createdAt} />
              {commentOf(event.commentId) && <blockquote>{commentOf(event.commentId)}</blockquote>}
              {event.description && <p class="muted">{event.description}</p>}
            </li>
          ))}
        </ol>
      </section>
    </div>
  )
}

const Addresses: FC<{ label: string; addresses: readonly string[] | null }> = ({ label, addresses }) =>
  addresses === null || addresses.length === 0 ? null : (
    <>
      <dt>{label}</dt>
      <dd>
        {addresses.map((address) => (
          <code class="block">{address}</code>
        ))}
      </dd>
    </>
  )

const sentence = (action: string): string => {
  const words = action.replaceAll('_', ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
