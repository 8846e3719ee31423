import { AppError } from '../../platform/errors.ts'
import type { UiDeps } from '../deps.ts'
import { returnPath } from '../http/return-path.ts'
import { type PageAnswer, type Route, postForm, redirectTo } from '../http/route.ts'
import { makeSessionCookie } from '../http/session-cookie.ts'
import { SignInPage } from './sign-in-page.tsx'

export const sessionRoutes = ({ accounts, publicUrl }: Pick<UiDeps, 'accounts' | 'publicUrl'>): Route[] => [
  { method: 'GET', path: '/', access: 'public', handle: async () => redirectTo('/app') },
  {
    method: 'GET',
    path: '/session',
    access: 'public',
    handle: async ({ session, query }) => {
      const returnTo = returnPath(query.get('return'))
      return session === undefined ? signInPage({ returnTo }) : redirectTo(returnTo)
    },
  },
  {
    method: 'POST',
    path: '/session',
    access: 'public',
    handle: async ({ form, address }) => {
      const [returnTo, username] = [returnPath(form.get('return')), form.get('username') ?? '']
      try {
        const opened = await accounts.signIn({ username, password: form.get('password') ?? '', address })
        return { kind: 'redirect', to: returnTo, session: opened }
      } catch (error) {
        if (!(error instanceof AppError) || !['UNAUTHORIZED', 'RATE_LIMITED'].includes(error.code)) throw error
        return { ...signInPage({ returnTo, username, problem: error.detail }), status: error.status }
      }
    },
  },
  postForm('/session/end', async ({ header }) => {
    const secret = makeSessionCookie(publicUrl).read(header('cookie'))
    if (secret !== undefined) await accounts.signOut(secret)
    return { kind: 'redirect', to: '/session', session: null }
  }),
]

const signInPage = (props: Parameters<typeof SignInPage>[0]): PageAnswer => ({
  kind: 'page',
  title: 'Sign in',
  body: <SignInPage {...props} />,
})
