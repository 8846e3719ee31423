import { FinishSetup } from '../../accounts/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { UiDeps } from '../deps.ts'
import type { PageAnswer, Route } from '../http/route.ts'
import { SetupPage } from './setup-page.tsx'

/** Where the link of `setup.url` leads. */
export const setupRoutes = ({ accounts }: Pick<UiDeps, 'accounts'>): Route[] => [
  {
    method: 'GET',
    path: '/setup/:token',
    access: 'public',
    handle: async ({ params }) => {
      const token = params['token'] ?? ''
      return setupPage({ token, username: (await accounts.getSetupLink(token)).username })
    },
  },
  {
    method: 'POST',
    path: '/setup/:token',
    access: 'public',
    handle: async ({ params, form }) => {
      const token = params['token'] ?? ''
      const [username, password] = [form.get('username') ?? '', form.get('password') ?? '']
      const refuse = (problem: string): PageAnswer => ({ ...setupPage({ token, username, problem }), status: 422 })
      const { data, error } = FinishSetup.safeParse({ username, password })
      if (error) return refuse(error.issues[0]?.message ?? 'Something is missing')
      const repeated = form.get('repeated')
      if (repeated !== null && repeated !== password) return refuse('The two passwords differ')
      try {
        return { kind: 'redirect', to: '/app', session: await accounts.finishSetup(token, data) }
      } catch (error) {
        if (error instanceof AppError && error.code === 'INVALID') return refuse(error.detail)
        throw error
      }
    },
  },
]

const setupPage = (props: Parameters<typeof SetupPage>[0]): PageAnswer => ({
  kind: 'page',
  title: 'Welcome',
  body: <SetupPage {...props} />,
})
