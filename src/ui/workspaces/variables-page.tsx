import type { FC } from 'hono/jsx'
import type { Workspaces, WorkspaceView } from '../../workspaces/index.ts'
import { WorkspaceHead } from './workspace-head.tsx'

type Variable = Awaited<ReturnType<Workspaces['listVariables']>>[number]

/** To read; they are set through the API and the tfe provider. */
export const VariablesPage: FC<{ view: WorkspaceView; variables: readonly Variable[] }> = ({ view, variables }) => (
  <section class="page">
    <WorkspaceHead view={view} tab="variables" />
    {variables.length === 0 && <p class="card">No variables. Set them through the API or with the tfe provider.</p>}
    <ul class="list">
      {variables.map((variable) => (
        <li class="list-row">
          <div class="grow">
            <code class="strong">{variable.key}</code>
            {variable.description && <p class="muted">{variable.description}</p>}
          </div>
          <code class="value">{variable.value === null ? <em>sensitive</em> : variable.value}</code>
          {variable.isHcl && <span class="tag">HCL</span>}
          <span class="tag">{variable.category === 'env' ? 'environment' : 'terraform'}</span>
        </li>
      ))}
    </ul>
  </section>
)
