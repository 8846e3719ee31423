import type { FC } from 'hono/jsx'
import type { Session } from '../../accounts/index.ts'
import { type WorkspaceView, holdsLock } from '../../workspaces/index.ts'
import { Confirm } from '../components/confirm.tsx'
import { Form } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import { paths } from '../paths.ts'

type Props = { session: Session; view: WorkspaceView; usernames: ReadonlyMap<string, string> }

/** Who has the lock, and what may be done about it. */
export const LockCard: FC<Props> = ({ session, view, usernames }) => {
  const { row, organization, permissions } = view
  const path = paths.workspace(organization.name, row.name)
  const isOwn = holdsLock(row, session.actor)
  return (
    <div class="card lock">
      <p class="lock-state">
        <Icon name={row.lockedByKind === null ? 'unlock' : 'lock'} />
        <strong>{row.lockedByKind === null ? 'Unlocked' : 'Locked'}</strong>
      </p>
      {row.lockedByKind !== null && (
        <p class="muted">
          by <LockHolder view={view} usernames={usernames} isOwn={isOwn} />
          {row.lockedReason !== '' && `: ${row.lockedReason}`}
        </p>
      )}
      {row.lockedByKind === null && permissions.has('workspace:lock') && (
        <Confirm label="Lock" confirm="Lock workspace" action={`${path}/lock`} session={session}>
          <p>Nothing is planned or applied here until you unlock it.</p>
          <div class="field">
            <label for="reason">Reason</label>
            <input id="reason" name="reason" maxlength={200} placeholder="optional" />
          </div>
        </Confirm>
      )}
      {isOwn && permissions.has('workspace:lock') && (
        <Form action={`${path}/unlock`} session={session}>
          <button type="submit" class="button">
            Unlock
          </button>
        </Form>
      )}
      {row.lockedByKind !== null && row.lockedByKind !== 'run' && !isOwn && permissions.has('workspace:force-unlock') && (
        <Confirm label="Force unlock" confirm="Force unlock" action={`${path}/force-unlock`} session={session} tone="danger">
          <p>Somebody else holds this lock. If terraform still works under it, two of them may change the same things.</p>
        </Confirm>
      )}
    </div>
  )
}

const LockHolder: FC<Omit<Props, 'session'> & { isOwn: boolean }> = ({ view: { row, organization }, usernames, isOwn }) => {
  const id = row.lockedById ?? ''
  if (isOwn) return <span>you</span>
  if (row.lockedByKind === 'run')
    return (
      <a href={paths.run(organization.name, row.name, id)}>
        <code>{id}</code>
      </a>
    )
  return <span>{usernames.get(id) ?? id}</span>
}
