import type { UiDeps } from '../deps.ts'
import { type PageAnswer, type Route, type SignedInVisit, getPage, postForm, redirectTo } from '../http/route.ts'
import { paths } from '../paths.ts'
import { TokensPage } from './tokens-page.tsx'

const DAY_MS = 86_400_000
const DAYS = new Set(['30', '90', '365', '730'])

/** The user's own tokens. `?source=terraform-login` is what terraform adds when it waits for one. */
export const tokenRoutes = ({ accounts, clock }: Pick<UiDeps, 'accounts' | 'clock'>): Route[] => {
  const page = async (
    { ctx, session, query }: SignedInVisit,
    more: { created?: { secret: string }; problem?: string } = {},
  ): Promise<PageAnswer> => ({
    kind: 'page',
    title: 'API tokens',
    crumbs: [{ label: 'API tokens' }],
    body: (
      <TokensPage
        session={session}
        tokens={await accounts.listUserTokens(ctx, session.actor.userId)}
        isForTerraform={query.get('source') === 'terraform-login'}
        now={clock.now()}
        {...more}
      />
    ),
  })
  return [
    getPage(paths.tokens, (visit) => page(visit)),
    postForm(paths.tokens, async (visit) => {
      const description = (visit.form.get('description') ?? '').trim().slice(0, 200)
      const days = visit.form.get('days') ?? '365'
      if (description === '' || !DAYS.has(days))
        return { ...(await page(visit, { problem: 'Say what the token is for, and choose when it expires.' })), status: 422 }
      const expiredAt = new Date(clock.now().getTime() + Number(days) * DAY_MS)
      const { secret } = await accounts.createUserToken(visit.ctx, visit.session.actor.userId, { description, expiredAt })
      return page(visit, { created: { secret } })
    }),
    postForm(`${paths.tokens}/:id/delete`, async ({ ctx, params }) => {
      await accounts.deleteToken(ctx, params['id'] ?? '')
      return redirectTo(paths.tokens)
    }),
  ]
}
