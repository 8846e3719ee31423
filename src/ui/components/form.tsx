import type { FC, PropsWithChildren } from 'hono/jsx'
import type { Session } from '../../accounts/index.ts'

type Props = { action: string; session: Session; class?: string }

/** A form of a session: with the token that proves it. */
export const Form: FC<PropsWithChildren<Props>> = ({ action, session, class: className, children }) => (
  <form method="post" action={action} class={className}>
    <input type="hidden" name="csrf" value={session.csrfToken} />
    {children}
  </form>
)
