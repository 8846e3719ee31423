import type { FC } from 'hono/jsx'
import type { Session } from '../../accounts/index.ts'
import { type PhaseRow, type RunView, availableActions } from '../../runs/index.ts'
import { Confirm } from '../components/confirm.tsx'
import { CommentField } from './comment-field.tsx'

type Props = { session: Session; path: string; view: RunView; plan: PhaseRow }

/** Asks whether the plan shall be applied, whoever may say so. Nothing while there is nothing to decide. */
export const RunQuestion: FC<Props> = ({ session, path, view, plan }) => {
  const { run, permissions } = view
  const { canConfirm, canDiscard } = availableActions(view)
  if (!canConfirm && !canDiscard) return null
  if (!permissions.has('run:apply')) {
    return <p class="question muted">Somebody with the right to apply (run:apply) has to confirm or discard this plan.</p>
  }
  const [label, confirm] = run.isDestroy ? ['Confirm & destroy', 'Yes, destroy'] : ['Confirm & apply', 'Yes, apply']
  return (
    <section class="question" aria-label="Decision">
      <div class="grow">
        <strong>{run.isDestroy ? 'Destroy all of this?' : 'Apply this plan?'}</strong>
        <p class="muted">{describe(plan)}</p>
      </div>
      <div class="actions">
        {canConfirm && (
          <Confirm label={label} confirm={confirm} action={`${path}/apply`} session={session} tone={run.isDestroy ? 'danger' : 'primary'}>
            <CommentField id="apply" />
          </Confirm>
        )}
        {canDiscard && (
          <Confirm label="Discard" confirm="Yes, discard" action={`${path}/discard`} session={session}>
            <p>The plan is given up. Nothing changes.</p>
            <CommentField id="discard" />
          </Confirm>
        )}
      </div>
    </section>
  )
}

const describe = ({ additions, changes, destructions }: PhaseRow): string => {
  const counts: [number | null, string][] = [
    [additions, 'to add'],
    [changes, 'to change'],
    [destructions, 'to destroy'],
  ]
  const parts = counts.flatMap(([count, words]) => (count ? [`${count} ${words}`] : []))
  return parts.length === 0 ? 'No resource changes, only outputs or state.' : `${parts.join(', ')}.`
}
