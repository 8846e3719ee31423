import type { FC } from 'hono/jsx'
import { AttributeRows } from './attribute-rows.tsx'
import type { Action, OutputChange, PlanSummary, ResourceChange } from './summarize-plan.ts'

const actions: Record<Action, { symbol: string; words: string }> = {
  create: { symbol: '+', words: 'create' },
  update: { symbol: '~', words: 'update' },
  replace: { symbol: '±', words: 'replace' },
  delete: { symbol: '−', words: 'destroy' },
  read: { symbol: '≤', words: 'read' },
  import: { symbol: '→', words: 'import' },
  move: { symbol: '⇄', words: 'move' },
  forget: { symbol: '∅', words: 'forget' },
}

/** What the plan changes: a line for each resource and output, which opens to its attributes. */
export const PlanChanges: FC<{ plan: PlanSummary }> = ({ plan }) => (
  <div class="changes">
    {plan.drift.length > 0 && (
      <details class="drift">
        <summary>{`${plan.drift.length === 1 ? '1 resource was' : `${plan.drift.length} resources were`} changed outside of terraform`}</summary>
        {plan.drift.map((resource) => (
          <Change resource={resource} />
        ))}
      </details>
    )}
    {plan.resources.map((resource) => (
      <Change resource={resource} />
    ))}
    {plan.omitted > 0 && <p class="muted change-more">{`${plan.omitted} more: the log shows them all.`}</p>}
    {plan.outputs.length > 0 && <Outputs outputs={plan.outputs} />}
    {plan.resources.length === 0 && plan.outputs.length === 0 && (
      <p class="muted change-more">Your infrastructure matches the configuration: there is nothing to change.</p>
    )}
  </div>
)

const Change: FC<{ resource: ResourceChange }> = ({ resource: { address, action, note, changes, unchanged } }) => (
  <details class={`change change-${action}`}>
    <summary>
      <span class="symbol" aria-hidden="true">
        {actions[action].symbol}
      </span>
      <code class="address">{address}</code>
      {note && <span class="muted change-note">{note}</span>}
      <span class="change-action">{actions[action].words}</span>
    </summary>
    <AttributeRows changes={changes} unchanged={unchanged} />
  </details>
)

const Outputs: FC<{ outputs: readonly OutputChange[] }> = ({ outputs }) => (
  <details class="change change-output">
    <summary>
      <span class="symbol" aria-hidden="true">
        ⇥
      </span>
      <span class="address">{outputs.length === 1 ? '1 output' : `${outputs.length} outputs`}</span>
      <span class="change-action">change</span>
    </summary>
    <AttributeRows changes={outputs.map((output) => ({ ...output, forcesReplacement: false }))} unchanged={0} />
  </details>
)
