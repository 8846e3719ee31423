import type { FC } from 'hono/jsx'
import type { WorkspaceView } from '../../workspaces/index.ts'
import { paths } from '../paths.ts'

const tabs = [
  { name: 'overview', label: 'Runs', href: paths.workspace },
  { name: 'states', label: 'States', href: paths.states },
  { name: 'variables', label: 'Variables', href: paths.variables },
] as const

/** Title and tabs of every page of a workspace. */
export const WorkspaceHead: FC<{ view: WorkspaceView; tab: (typeof tabs)[number]['name'] }> = ({ view: { row, organization }, tab }) => (
  <header class="workspace-head">
    <h1>{row.name}</h1>
    {row.description && <p class="muted">{row.description}</p>}
    <nav class="tabs" aria-label="Workspace">
      {tabs.map(({ name, label, href }) => (
        <a href={href(organization.name, row.name)} aria-current={name === tab ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  </header>
)
