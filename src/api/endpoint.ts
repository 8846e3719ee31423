import type { z } from 'zod'
import type { Ctx } from '../platform/context.ts'
import type { Answer } from './answer.ts'
import type { Body } from './body.ts'
import type { Page } from './jsonapi/pagination.ts'
import type { Reply } from './reply.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** `token`: a bearer token is required. `signed`: the handler verifies the path. `public`: anybody. The last two never look at a token. */
export type Auth = 'token' | 'signed' | 'public'

/** What of the request a handler may read besides the parsed parts. */
export type EndpointRequest = { readonly method: string; readonly url: string; header(name: string): string | undefined }

/** `{ id: string }` from `'workspaces/:id/vars'`. */
export type ParamsOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? { [K in Name]: string } & ParamsOf<Tail>
    : { [K in Rest]: string }
  : unknown

type QueryOf<Query> = Query extends z.ZodObject ? z.output<Query> : undefined

export type Input<Params, Query, Parsed> = {
  params: Params
  query: Query
  page: Page
  /** The include paths asked for, in kebab-case. Only a handler whose relationships depend on them looks here. */
  include: readonly string[]
  body: Parsed
  request: EndpointRequest
}

type Definition<Path extends string, Query extends z.ZodObject | undefined, Parsed> = {
  method: Method
  /** Relative to `/api/v2/`, or absolute when it begins with `/`. */
  path: Path
  auth: Auth
  /** Keys are wire names (`'filter[name]'`), values strings; repeated keys arrive joined by commas. A violation is a 400. */
  query?: Query
  /** Without it the request body is not looked at. */
  body?: Body<Parsed>
  /** Allowed include paths in kebab-case; `a.b` allows `a` too. Loading and embedding is done by the server. */
  include?: readonly string[]
  status: number
  /** What comes with `status`; without it: nothing. */
  answer?: Answer
  /** What comes with other statuses of success that the handler may choose. */
  otherAnswers?: Readonly<Record<number, Answer>>
  /** On every answer, errors included. */
  headers?: Readonly<Record<string, string>>
  handle: (ctx: Ctx, input: Input<ParamsOf<Path>, QueryOf<Query>, Parsed>) => Promise<Reply>
}

/** A descriptor with its types erased: what the server, the OpenAPI document and table tests work on. */
export type Endpoint = {
  method: Method
  /** Absolute pattern, e.g. `/api/v2/workspaces/:id/vars`. */
  path: string
  auth: Auth
  query: z.ZodObject | undefined
  body: Body<unknown> | undefined
  include: readonly string[]
  status: number
  answers: Readonly<Record<number, Answer>>
  headers: Readonly<Record<string, string>>
  handle(ctx: Ctx, input: Input<Record<string, string>, unknown, unknown>): Promise<Reply>
}

/** Declares one endpoint. Everything the handler gets is typed from the path and the schemas. */
export const endpoint = <const Path extends string, Query extends z.ZodObject | undefined = undefined, Parsed = undefined>(
  from: Definition<Path, Query, Parsed>,
): Endpoint => ({
  method: from.method,
  path: from.path.startsWith('/') ? from.path : `/api/v2/${from.path}`,
  auth: from.auth,
  query: from.query,
  body: from.body,
  include: from.include ?? [],
  status: from.status,
  answers: { ...from.otherAnswers, [from.status]: from.answer ?? 'empty' },
  headers: from.headers ?? {},
  handle: from.handle as Endpoint['handle'],
})
