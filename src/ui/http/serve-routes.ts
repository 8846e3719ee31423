import { randomBytes, timingSafeEqual } from 'node:crypto'
import { Hono, type Context } from 'hono'
import type { Session } from '../../accounts/index.ts'
import type { Ctx } from '../../platform/context.ts'
import { translateDbError } from '../../platform/db/errors.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { newUuid } from '../../platform/ids.ts'
import type { UiDeps } from '../deps.ts'
import { renderPage } from '../layout.tsx'
import { paths } from '../paths.ts'
import { clientAddress } from './client-address.ts'
import { failurePage } from './failure-page.tsx'
import { isCrossSite } from './is-cross-site.ts'
import { pageHeaders } from './page-headers.ts'
import { readForm } from './read-form.ts'
import { returnPath } from './return-path.ts'
import type { Answer, Route, Visit } from './route.ts'
import { makeSessionCookie } from './session-cookie.ts'

type Deps = Pick<UiDeps, 'accounts' | 'assets' | 'publicUrl' | 'isBehindProxy' | 'log' | 'clock'>

/** An app of its own: its patterns and its errors have nothing to do with those of the API. */
export const serveRoutes = (deps: Deps, routes: readonly Route[]): Hono => {
  const { accounts, log, clock, publicUrl } = deps
  const cookie = makeSessionCookie(publicUrl)

  const visitOf = async (c: Context, route: Route | undefined, requestId: string): Promise<Visit> => {
    const secret = route?.access === 'program' ? undefined : cookie.read(c.req.header('cookie'))
    const find = async (): Promise<Session | undefined> => (secret === undefined ? undefined : accounts.findSession(secret))
    const ctxOf = (session: Session | undefined): Ctx => ({
      actor: session?.actor ?? { kind: 'anonymous' },
      requestId,
      signal: c.req.raw.signal,
      log: log.child({ requestId }),
      client: { userAgent: c.req.header('user-agent') },
    })
    const session = await find()
    const url = new URL(c.req.url)
    return {
      ctx: ctxOf(session),
      params: c.req.param(),
      query: url.searchParams,
      form: await formOf(c, route),
      path: url.pathname + url.search,
      address: clientAddress(c, deps.isBehindProxy),
      header: (name) => c.req.header(name),
      session,
      renew: async () => {
        const still = await find()
        return still && ctxOf(still)
      },
    }
  }

  const respond = async (answer: Answer, session: Session | undefined): Promise<Response> => {
    switch (answer.kind) {
      case 'raw':
        return answer.response
      case 'redirect': {
        const headers = new Headers({ location: answer.to, 'cache-control': 'no-store', 'referrer-policy': 'same-origin' })
        if (answer.session) headers.append('set-cookie', cookie.write(answer.session.secret, answer.session.expiresAt))
        if (answer.session === null) headers.append('set-cookie', cookie.clear())
        return new Response(null, { status: 303, headers })
      }
      case 'page': {
        const nonce = randomBytes(16).toString('base64url')
        const html = await renderPage({ page: answer, session, nonce, assets: deps.assets })
        return new Response(html, { status: answer.status ?? 200, headers: pageHeaders(nonce, answer.formOrigins) })
      }
    }
  }

  const answerTo = async (visit: Visit, route: Route): Promise<Answer> => {
    if (route.method === 'POST' && route.access !== 'program' && isCrossSite(visit.header, publicUrl)) throw forged()
    if (route.access === 'session') {
      if (visit.session === undefined) {
        if (visit.header('accept')?.startsWith('text/event-stream')) throw new AppError('UNAUTHORIZED', 'Sign in first.')
        return { kind: 'redirect', to: paths.signIn(returnPath(route.method === 'GET' ? visit.path : undefined)) }
      }
      if (route.method === 'POST' && !isEqual(visit.form.get('csrf'), visit.session.csrfToken)) throw forged()
    }
    return route.handle(visit)
  }

  /** Answers, whatever happens, and writes the access line. */
  const serve = (route: Route | undefined) => async (c: Context) => {
    const startedMs = clock.monotonicMs()
    const requestId = newUuid()
    const line: Record<string, unknown> = { requestId, method: c.req.method, route: route?.path ?? '(page)', status: 0, ms: 0 }
    let session: Session | undefined
    let response: Response
    try {
      const visit = await visitOf(c, route, requestId)
      session = visit.session
      if (route === undefined) throw notFound()
      response = await respond(await answerTo(visit, route), session)
    } catch (error) {
      if (!(error instanceof AppError)) log.error({ requestId, err: translateDbError(error) }, 'page failed')
      response = await respond(failurePage(error, requestId), session)
    }
    response.headers.set('x-request-id', requestId)
    line['status'] = response.status
    line['ms'] = Math.round((clock.monotonicMs() - startedMs) * 10) / 10
    log.info(line, 'request')
    return response
  }

  const app = new Hono({ strict: false })
  for (const route of routes) app.on(route.method, route.path, serve(route))
  app.notFound(serve(undefined))
  return app
}

/** A program is told in its own way what is missing from a form that is none. */
const formOf = async (c: Context, route: Route | undefined): Promise<URLSearchParams> => {
  if (c.req.method !== 'POST') return new URLSearchParams()
  return route?.access === 'program' ? readForm(c.req.raw).catch(() => new URLSearchParams()) : readForm(c.req.raw)
}

const forged = () =>
  new AppError(
    'FORBIDDEN',
    'The form did not come from a page of yours, or you have signed in anew since it was opened. Go back, reload the page and try again.',
  )

const isEqual = (given: string | null, expected: string): boolean => {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
