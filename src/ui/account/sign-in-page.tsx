import type { FC } from 'hono/jsx'
import { Alert } from '../components/alert.tsx'
import { Field } from '../components/field.tsx'

type Props = { returnTo: string; username?: string; problem?: string }

export const SignInPage: FC<Props> = ({ returnTo, username, problem }) => (
  <section class="narrow card">
    <h1>Sign in</h1>
    {returnTo.startsWith('/oauth/') && <p class="muted">terraform is waiting in your terminal. Sign in to give it a token.</p>}
    {problem && <Alert tone="danger">{problem}</Alert>}
    <form method="post" action="/session" class="stack">
      <input type="hidden" name="return" value={returnTo} />
      <Field label="User name" name="username" value={username} autocomplete="username" required autofocus={!username} />
      <Field label="Password" name="password" type="password" autocomplete="current-password" required autofocus={!!username} />
      <button type="submit" class="button button-primary">
        Sign in
      </button>
    </form>
    <p class="hint">
      No password yet? The server wrote a link to <code>setup.url</code> in its data directory, for its administrator.
    </p>
  </section>
)
