import type { Child } from 'hono/jsx'
import type { Session } from '../../accounts/index.ts'
import type { Ctx } from '../../platform/context.ts'

/** What a page is asked with. `form` is empty but for POST. */
export type Visit = {
  ctx: Ctx
  params: Record<string, string>
  query: URLSearchParams
  form: URLSearchParams
  /** Path and query of the request. */
  path: string
  /** Of the client, for the limit of attempts. */
  address: string
  header(name: string): string | undefined
  session: Session | undefined
  /** The same check of the session once more, for answers that last. */
  renew(): Promise<Ctx | undefined>
}

export type SignedInVisit = Visit & { session: Session }

/** One step of the way from the top to the page; the last one has no link. */
export type Crumb = { label: string; href?: string }

export type PageAnswer = {
  kind: 'page'
  title: string
  body: Child
  crumbs?: readonly Crumb[]
  status?: number
  /** Origins besides our own that a form of the page may lead to. */
  formOrigins?: readonly string[]
}

/** `session`: null ends the cookie. */
export type RedirectAnswer = { kind: 'redirect'; to: string; session?: { secret: string; expiresAt: Date } | null }

export type RawAnswer = { kind: 'raw'; response: Response }

export type Answer = PageAnswer | RedirectAnswer | RawAnswer

export type Route = {
  method: 'GET' | 'POST'
  path: string
  /**
   * `session`: whoever is not signed in is sent to sign in first, and a POST needs the session's token. `public`: anybody; a POST must not
   * come from another site. `program`: anybody, from wherever; no cookie is looked at.
   */
  access: 'session' | 'public' | 'program'
  handle(visit: Visit): Promise<Answer>
}

/** A page for those who are signed in. */
export const getPage = (path: string, handle: (visit: SignedInVisit) => Promise<Answer>): Route => ({
  method: 'GET',
  path,
  access: 'session',
  // safe because routes with access `session` are called with one only
  handle: (visit) => handle(visit as SignedInVisit),
})

/** A form for those who are signed in. */
export const postForm = (path: string, handle: (visit: SignedInVisit) => Promise<Answer>): Route => ({
  ...getPage(path, handle),
  method: 'POST',
})

export const redirectTo = (to: string): RedirectAnswer => ({ kind: 'redirect', to })
