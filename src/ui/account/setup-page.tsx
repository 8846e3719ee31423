import type { FC } from 'hono/jsx'
import { Alert } from '../components/alert.tsx'
import { Field } from '../components/field.tsx'

type Props = { token: string; username: string; problem?: string }

export const SetupPage: FC<Props> = ({ token, username, problem }) => (
  <section class="narrow card">
    <h1>Welcome to Terrane</h1>
    <p class="muted">Choose how you will sign in. You are the first administrator of this server.</p>
    {problem && <Alert tone="danger">{problem}</Alert>}
    <form method="post" action={`/setup/${encodeURIComponent(token)}`} class="stack">
      <Field label="User name" name="username" value={username} autocomplete="username" maxlength={60} required />
      <Field
        label="Password"
        name="password"
        type="password"
        autocomplete="new-password"
        minlength={12}
        maxlength={200}
        hint="At least 12 characters. A few words that you can remember are fine."
        required
        autofocus
      />
      <Field label="Password again" name="repeated" type="password" autocomplete="new-password" required />
      <button type="submit" class="button button-primary">
        Start
      </button>
    </form>
  </section>
)
