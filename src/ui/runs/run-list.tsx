import type { FC } from 'hono/jsx'
import type { RunView } from '../../runs/index.ts'
import { StatusPill } from '../components/status-pill.tsx'
import { TimeAgo } from '../components/time-ago.tsx'
import { paths } from '../paths.ts'
import { runStatus } from './run-status.ts'
import { kindOf, sourceOf } from './run-words.ts'

type Props = { organization: string; workspace: string; runs: readonly RunView[]; usernames: ReadonlyMap<string, string> }

export const RunList: FC<Props> = ({ organization, workspace, runs, usernames }) => (
  <ul class="list runs">
    {runs.map(({ run }) => (
      <li class="list-row">
        <div class="grow">
          <a class="stretched" href={paths.run(organization, workspace, run.id)}>
            <strong class="clamp">{run.message}</strong>
          </a>
          <p class="muted meta">
            <code>{run.id}</code>
            <span>{`${usernames.get(run.createdByUserId ?? '') ?? 'Terrane'} from ${sourceOf(run)}`}</span>
            <TimeAgo at={run.createdAt} />
          </p>
        </div>
        {kindOf(run) !== 'Plan and apply' && <span class="tag">{kindOf(run)}</span>}
        <StatusPill status={runStatus(run)} />
      </li>
    ))}
  </ul>
)
