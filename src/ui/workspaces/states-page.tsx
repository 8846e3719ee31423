import type { FC } from 'hono/jsx'
import { engineTitles } from '../../platform/engine-name.ts'
import { type State, isBackingDataDeleted } from '../../state/index.ts'
import type { WorkspaceView } from '../../workspaces/index.ts'
import { Icon } from '../components/icon.tsx'
import { Pager } from '../components/pager.tsx'
import { TimeAgo } from '../components/time-ago.tsx'
import { paths } from '../paths.ts'
import { WorkspaceHead } from './workspace-head.tsx'

export type StateRow = Awaited<ReturnType<State['list']>>['items'][number]

type Props = {
  view: WorkspaceView
  states: readonly StateRow[]
  usernames: ReadonlyMap<string, string>
  page: { number: number; size: number }
  total: number
}

export const StatesPage: FC<Props> = ({ view, states, usernames, page, total }) => (
  <section class="page">
    <WorkspaceHead view={view} tab="states" />
    {states.length === 0 && (
      <p class="card">No state yet: it comes with the first apply, or with terraform init when it moves a local state here.</p>
    )}
    <ul class="list">
      {states.map(({ version }) => (
        <StateItem view={view} version={version} usernames={usernames} />
      ))}
    </ul>
    <Pager {...page} total={total} href={(number) => `?page=${number}`} />
  </section>
)

const StateItem: FC<{ view: WorkspaceView; version: StateRow['version']; usernames: ReadonlyMap<string, string> }> = ({
  view: { row, organization },
  version,
  usernames,
}) => (
  <li class="list-row">
    <div class="grow">
      <strong>{`Serial ${version.serial}`}</strong>
      <p class="muted meta">
        <TimeAgo at={version.createdAt} />
        {version.createdByUserId !== null && <span>{`by ${usernames.get(version.createdByUserId) ?? version.createdByUserId}`}</span>}
        {version.runId !== null && (
          <a href={paths.run(organization.name, row.name, version.runId)}>
            <code>{version.runId}</code>
          </a>
        )}
        {version.managedCount !== null && <span>{version.managedCount === 1 ? '1 resource' : `${version.managedCount} resources`}</span>}
        {version.terraformVersion !== null && <span>{`${engineTitles[row.engine]} ${version.terraformVersion}`}</span>}
        {version.sizeBytes !== null && <span>{formatBytes(version.sizeBytes)}</span>}
      </p>
    </div>
    {version.id === row.currentStateVersionId && <span class="pill tone-success">Current</span>}
    {version.isIntermediate && <span class="tag">Snapshot</span>}
    {version.status === 'pending' && <span class="tag">Waits for its upload</span>}
    {isBackingDataDeleted(version.status) && <span class="tag">Files deleted</span>}
    {version.blobKey !== null && !isBackingDataDeleted(version.status) && (
      <a class="button" href={`${paths.states(organization.name, row.name)}/${version.id}/download`} download>
        <Icon name="download" />
        Download<span class="visually-hidden">{` serial ${version.serial}`}</span>
      </a>
    )}
  </li>
)

const formatBytes = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
