import type { FC, PropsWithChildren } from 'hono/jsx'
import type { Session } from '../../accounts/index.ts'
import { Form } from './form.tsx'

type Props = {
  /** What the button that opens it says. */
  label: string
  /** What the button that does it says. */
  confirm: string
  action: string
  session: Session
  tone?: 'primary' | 'danger' | 'plain'
}

/** An action in two steps: the button opens the question, the second does it. Needs no script. */
export const Confirm: FC<PropsWithChildren<Props>> = ({ label, confirm, action, session, tone = 'plain', children }) => (
  <details class="confirm menu">
    <summary class={`button button-${tone}`}>{label}</summary>
    <Form action={action} session={session} class="menu-items">
      {children}
      <button type="submit" class={`button button-${tone === 'plain' ? 'primary' : tone}`}>
        {confirm}
      </button>
    </Form>
  </details>
)
