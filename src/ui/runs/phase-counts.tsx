import type { FC } from 'hono/jsx'
import type { PhaseRow } from '../../runs/index.ts'

/** How many resources are, or were, added, changed and destroyed. */
export const PhaseCounts: FC<{ phase: Pick<PhaseRow, 'additions' | 'changes' | 'destructions' | 'imports'> }> = ({ phase }) =>
  phase.additions === null ? null : (
    <span class="counts">
      <Count tone="add" symbol="+" count={phase.additions} label="to add" />
      <Count tone="change" symbol="~" count={phase.changes ?? 0} label="to change" />
      <Count tone="remove" symbol="−" count={phase.destructions ?? 0} label="to destroy" />
      {(phase.imports ?? 0) > 0 && <Count tone="import" symbol="→" count={phase.imports ?? 0} label="to import" />}
    </span>
  )

const Count: FC<{ tone: string; symbol: string; count: number; label: string }> = ({ tone, symbol, count, label }) => (
  <span class={`count count-${tone} ${count === 0 ? 'count-none' : ''}`} title={`${count} ${label}`}>
    <span aria-hidden="true">{`${symbol}${count}`}</span>
    <span class="visually-hidden">{`${count} ${label}, `}</span>
  </span>
)
