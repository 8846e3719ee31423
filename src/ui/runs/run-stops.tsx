import type { FC } from 'hono/jsx'
import type { Session } from '../../accounts/index.ts'
import { type RunView, availableActions } from '../../runs/index.ts'
import { Confirm } from '../components/confirm.tsx'
import { CommentField } from './comment-field.tsx'

/** Ways to stop a run that goes on. */
export const RunStops: FC<{ session: Session; path: string; view: RunView }> = ({ session, path, view }) => {
  const { canCancel, canForceCancel } = availableActions(view)
  return (
    <div class="actions">
      {canCancel && view.permissions.has('run:cancel') && (
        <Confirm label="Cancel run" confirm="Yes, cancel" action={`${path}/cancel`} session={session} tone="danger">
          <p>terraform is asked to stop after what it is doing right now. What is done by then stays.</p>
          <CommentField id="cancel" />
        </Confirm>
      )}
      {canForceCancel && view.permissions.has('run:force-cancel') && (
        <Confirm label="Force cancel" confirm="Yes, kill it" action={`${path}/force-cancel`} session={session} tone="danger">
          <p>terraform is killed. State that it has not written yet is lost.</p>
          <CommentField id="force-cancel" />
        </Confirm>
      )}
    </div>
  )
}
