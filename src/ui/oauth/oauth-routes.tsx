import { Notice } from '../components/notice.tsx'
import type { UiDeps } from '../deps.ts'
import { type Route, getPage, postForm, redirectTo } from '../http/route.ts'
import { AuthorizePage } from './authorize-page.tsx'
import { parseAuthorizeRequest } from './parse-authorize-request.ts'
import { redeemCode } from './redeem-code.ts'

/** `terraform login`: OAuth 2 with authorization code and PKCE (RFC 6749, RFC 7636). */
export const oauthRoutes = ({ accounts }: Pick<UiDeps, 'accounts'>): Route[] => [
  getPage('/oauth/authorize', async ({ session, query }) => {
    const request = parseAuthorizeRequest(query)
    return {
      kind: 'page',
      title: 'Let terraform in?',
      formOrigins: [new URL(request.redirectUri).origin],
      body: <AuthorizePage session={session} request={request} />,
    }
  }),
  postForm('/oauth/authorize', async ({ ctx, form }) => {
    const { state, ...authorization } = parseAuthorizeRequest(form)
    // Not sent to terraform, which goes on waiting whatever error it is told of.
    if (form.get('decision') !== 'approve') return denied
    const code = await accounts.issueAuthorizationCode(ctx, authorization)
    return redirectTo(`${authorization.redirectUri}?${new URLSearchParams({ code, state }).toString()}`)
  }),
  {
    method: 'POST',
    path: '/oauth/token',
    access: 'program',
    handle: async ({ form }) => ({ kind: 'raw', response: await redeemCode(accounts, form) }),
  },
]

const denied = {
  kind: 'page',
  title: 'Denied',
  body: (
    <Notice title="Denied">
      <p>terraform got no token. It goes on waiting and does not hear Ctrl-C: end it with Ctrl-\ in its terminal.</p>
    </Notice>
  ),
} as const
