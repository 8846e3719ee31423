import type { FC } from 'hono/jsx'
import { engineTitles } from '../../platform/engine-name.ts'
import type { RunRow } from '../../runs/index.ts'
import type { WorkspaceView } from '../../workspaces/index.ts'
import { Icon } from '../components/icon.tsx'
import { Pager } from '../components/pager.tsx'
import { StatusPill } from '../components/status-pill.tsx'
import { TimeAgo } from '../components/time-ago.tsx'
import { paths } from '../paths.ts'
import { runStatus } from '../runs/run-status.ts'

type Props = {
  organization: string
  /** Name by which terraform knows this server. */
  hostname: string
  workspaces: readonly WorkspaceView[]
  runs: ReadonlyMap<string, RunRow>
  search: string
  page: { number: number; size: number }
  total: number
}

export const WorkspacesPage: FC<Props> = ({ organization, hostname, workspaces, runs, search, page, total }) => (
  <section class="page">
    <header class="page-head">
      <h1>Workspaces</h1>
      <form method="get" class="search" role="search">
        <input type="search" name="q" value={search} placeholder="Find by name" aria-label="Find by name" />
        <button type="submit" class="button">
          Find
        </button>
      </form>
    </header>
    {workspaces.length === 0 &&
      (search === '' ? (
        <FirstWorkspace organization={organization} hostname={hostname} />
      ) : (
        <p class="muted">{`No workspace has “${search}” in its name.`}</p>
      ))}
    <ul class="list">
      {workspaces.map((view) => (
        <WorkspaceRow view={view} run={runs.get(view.row.currentRunId ?? '')} />
      ))}
    </ul>
    <Pager
      {...page}
      total={total}
      href={(number) => `?${new URLSearchParams({ ...(search === '' ? {} : { q: search }), page: String(number) }).toString()}`}
    />
  </section>
)

const WorkspaceRow: FC<{ view: WorkspaceView; run: RunRow | undefined }> = ({ view: { row, organization }, run }) => (
  <li class="list-row">
    <div class="grow">
      <a class="stretched" href={paths.workspace(organization.name, row.name)}>
        <strong>{row.name}</strong>
      </a>
      <p class="muted meta">
        <span>{row.resourceCount === 1 ? '1 resource' : `${row.resourceCount} resources`}</span>
        <span>{`${engineTitles[row.engine]} ${row.terraformVersion}`}</span>
        <span>
          changed <TimeAgo at={row.latestChangeAt} />
        </span>
      </p>
    </div>
    {row.lockedByKind !== null && (
      <span class="tag">
        <Icon name="lock" />
        Locked
      </span>
    )}
    {run && <StatusPill status={runStatus(run)} />}
  </li>
)

const FirstWorkspace: FC<{ organization: string; hostname: string }> = ({ organization, hostname }) => (
  <div class="card stack">
    <p>
      No workspace yet. Put this into your terraform configuration and run <code>terraform init</code>: it creates one.
    </p>
    <pre class="code" tabindex={0}>
      <code>{cloudBlock(organization, hostname)}</code>
    </pre>
  </div>
)

const cloudBlock = (organization: string, hostname: string): string => `terraform {
  cloud {
    hostname     = "${hostname}"
    organization = "${organization}"
    workspaces {
      name = "my-workspace"
    }
  }
}`
