import type { FC } from 'hono/jsx'
import type { Session } from '../../accounts/index.ts'
import { Form } from '../components/form.tsx'
import type { AuthorizeRequest } from './parse-authorize-request.ts'

/** The request travels in the form, and is checked again when it comes back. */
export const AuthorizePage: FC<{ session: Session; request: AuthorizeRequest }> = ({ session, request }) => (
  <section class="narrow card">
    <h1>Let terraform in?</h1>
    <p>
      <strong>terraform login</strong> on this computer asks for an API token of <strong>{session.actor.username}</strong>. With it
      terraform can do whatever you can.
    </p>
    <p class="hint">Did you not just start terraform login? Then deny.</p>
    <Form action="/oauth/authorize" session={session} class="actions">
      <input type="hidden" name="response_type" value="code" />
      <input type="hidden" name="client_id" value={request.clientId} />
      <input type="hidden" name="redirect_uri" value={request.redirectUri} />
      <input type="hidden" name="code_challenge" value={request.codeChallenge} />
      <input type="hidden" name="code_challenge_method" value="S256" />
      <input type="hidden" name="state" value={request.state} />
      <button type="submit" name="decision" value="approve" class="button button-primary" autofocus>
        Approve
      </button>
      <button type="submit" name="decision" value="deny" class="button">
        Deny
      </button>
    </Form>
  </section>
)
