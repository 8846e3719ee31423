import type { FC } from 'hono/jsx'
import type { Session, Token } from '../../accounts/index.ts'
import { Alert } from '../components/alert.tsx'
import { Confirm } from '../components/confirm.tsx'
import { CopyText } from '../components/copy-text.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { TimeAgo } from '../components/time-ago.tsx'
import { paths } from '../paths.ts'

type Props = {
  session: Session
  tokens: readonly Token[]
  /** Asked for by a terraform that waits for a token to be pasted. */
  isForTerraform: boolean
  created?: { secret: string }
  problem?: string
  now: Date
}

export const TokensPage: FC<Props> = ({ session, tokens, isForTerraform, created, problem, now }) => (
  <section class="page">
    <h1>API tokens</h1>
    <p class="muted">A token acts as you, for terraform, scripts and other programs. Whoever has it can do what you can.</p>
    {isForTerraform && !created && (
      <Alert tone="info">
        <strong>terraform login</strong> is waiting for a token. Create one, copy it, and paste it into your terminal.
      </Alert>
    )}
    {problem && <Alert tone="danger">{problem}</Alert>}
    {created && (
      <Alert tone="success">
        <p>
          <strong>Your new token.</strong> Copy it now: it is not shown again.
        </p>
        <CopyText text={created.secret} label="token" />
      </Alert>
    )}
    <Form action={paths.tokens} session={session} class="card row">
      <Field
        label="Description"
        name="description"
        value={isForTerraform ? 'terraform login' : ''}
        placeholder="What is it for?"
        maxlength={200}
        required
      />
      <div class="field">
        <label for="days">Expires</label>
        <select id="days" name="days">
          <option value="30">in 30 days</option>
          <option value="90">in 90 days</option>
          <option value="365" selected>
            in a year
          </option>
          <option value="730">in two years</option>
        </select>
      </div>
      <button type="submit" class="button button-primary">
        Create token
      </button>
    </Form>
    <ul class="list">
      {tokens.map((token) => (
        <TokenRow token={token} session={session} now={now} />
      ))}
    </ul>
  </section>
)

const TokenRow: FC<{ token: Token; session: Session; now: Date }> = ({ token, session, now }) => (
  <li class="list-row">
    <div class="grow">
      <strong>{token.description ?? 'No description'}</strong>
      <p class="muted meta">
        <span>
          created <TimeAgo at={token.createdAt} />
        </span>
        <span>{token.lastUsedAt === null ? 'never used' : ['last used ', <TimeAgo at={token.lastUsedAt} />]}</span>
        {token.expiresAt !== null && (
          <span>
            {token.expiresAt <= now ? 'expired ' : 'expires '}
            <TimeAgo at={token.expiresAt} />
          </span>
        )}
      </p>
    </div>
    <Confirm label="Delete" confirm="Delete token" action={`${paths.tokens}/${token.id}/delete`} session={session} tone="danger">
      <p>Whatever uses this token stops working at once.</p>
    </Confirm>
  </li>
)
