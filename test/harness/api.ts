import { randomBytes } from 'node:crypto'
import type { Hono } from 'hono'
import { type Accounts, type User, accountEndpoints, accountLoaders, makeAccounts } from '../../src/accounts/index.ts'
import { type Endpoint, type Loaders, joinLoaders } from '../../src/api/index.ts'
import { makeOpenApi } from '../../src/api/openapi/make-open-api.ts'
import { makeApi } from '../../src/api/server.ts'
import type { Tables } from '../../src/main/schema.ts'
import {
  type OrganizationPorts,
  type Organizations,
  makeOrganizations,
  organizationEndpoints,
  organizationLoaders,
} from '../../src/organizations/index.ts'
import { type Clock, systemClock } from '../../src/platform/clock.ts'
import type { Actor, Ctx } from '../../src/platform/context.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { type Log, silentLog } from '../../src/platform/log.ts'
import { type Outbox, makeOutbox } from '../../src/platform/outbox/outbox.ts'
import { workspaceOutputType } from '../../src/state/index.ts'
import { type Answer, readAnswer } from './answer.ts'
import { makeAnswerChecker } from './answer-checker.ts'
import { checkRequests } from './check-requests.ts'
import { openTestDatabase } from './database.ts'

/** What a slice under test is built from. */
export type TestBase = {
  db: Database<Tables>
  clock: Clock
  log: Log
  outbox: Outbox<Tables>
  accounts: Accounts
  organizations: Organizations
  publicUrl: string
}

/** What a slice adds: endpoints, loaders for `include`, and the ports that organizations ask. */
export type TestSlice = { endpoints: readonly Endpoint[]; loaders?: Loaders; ports?: Partial<OrganizationPorts> }

export type TestUser = { user: User; token: string }
export type TestOrganization = { /** `org-…` */ id: string; name: string; defaultProjectId: string }
export type Call = { token?: string | undefined; body?: unknown; headers?: Record<string, string> }

export type TestApi = TestBase & {
  app: Hono
  /** The first site administrator. Requests are his unless they say otherwise. */
  admin: TestUser
  /** `path` relative to `/api/v2/`, or absolute. A 5xx throws: nothing a client sends may cause one. `token: ''` sends none. */
  request: (method: string, path: string, call?: Call) => Promise<Answer>
  /** A user who is a member of nothing: the stranger. */
  newUser(username?: string): Promise<TestUser>
  /** Owned by the holder of `token`, the administrator by default. */
  newOrganization(name?: string, token?: string): Promise<TestOrganization>
  ctxOf(actor: Actor): Ctx
  drop(): Promise<void>
}

export const testName = (prefix: string): string => `${prefix}-${randomBytes(5).toString('hex')}`

/** `{ data: { type, attributes, relationships } }`. */
export const documentOf = (type: string, attributes: Record<string, unknown> = {}, relationships?: Record<string, unknown>) => ({
  data: { type, attributes, ...(relationships === undefined ? {} : { relationships }) },
})

export const testCtx = (actor: Actor): Ctx => ({
  actor,
  requestId: 'test',
  signal: new AbortController().signal,
  log: silentLog,
  client: {},
})

type Options = { slices?: readonly ((base: TestBase) => TestSlice | Promise<TestSlice>)[]; clock?: Clock; log?: Log }

/**
 * The HTTP API over a database of its own, with accounts, organizations and the given slices. Every answer is compared with the OpenAPI document.
 * Call `drop` at the end.
 */
export const makeTestApi = async ({ slices = [], clock = systemClock, log = silentLog }: Options = {}): Promise<TestApi> => {
  const database = await openTestDatabase()
  const { db, url } = database
  const publicUrl = 'http://terrane.test'
  const outbox = makeOutbox({ db, clock, log, databaseUrl: url })
  const ports: OrganizationPorts = {
    runCounts: async () => ({ pending: 0, running: 0 }),
    workspaceCounts: async () => new Map(),
    sharesState: async () => false,
    grantsOf: async () => [],
  }
  const accounts: Accounts = makeAccounts({
    db,
    clock,
    outbox,
    log,
    organizations: {
      find: (id) => organizations.findOrganizationById(id),
      authorizeTokens: (ctx, id, kind) => organizations.authorizeTokens(ctx, id, kind),
      findTeam: (id) => organizations.teams.findTeamById(id),
      authorizeTeamTokens: (ctx, id) => organizations.teams.authorizeTeamTokens(ctx, id),
    },
  })
  const organizations: Organizations = makeOrganizations({
    db,
    clock,
    outbox,
    accounts,
    log,
    runCounts: (id) => ports.runCounts(id),
    workspaceCounts: (ids) => ports.workspaceCounts(ids),
    sharesState: (id, consumerId) => ports.sharesState(id, consumerId),
    grantsOf: (reader, teamIds) => ports.grantsOf(reader, teamIds),
  })
  const base: TestBase = { db, clock, log, outbox, accounts, organizations, publicUrl }

  const endpoints = [...accountEndpoints(accounts), ...organizationEndpoints(organizations)]
  const loaders: Loaders[] = [accountLoaders(accounts), organizationLoaders(organizations)]
  for (const makeSlice of slices) {
    const slice = await makeSlice(base)
    endpoints.push(...slice.endpoints)
    loaders.push(slice.loaders ?? {})
    Object.assign(ports, slice.ports)
  }
  const app = makeApi({
    endpoints,
    loaders: joinLoaders(...loaders),
    authenticate: accounts.authenticate,
    publicUrl,
    log,
    clock,
  })

  checkRequests(app, makeAnswerChecker(makeOpenApi(endpoints, [workspaceOutputType])))

  const first = await accounts.bootstrapAdmin()
  if (first === undefined) throw new Error('the test database has a user already')
  const admin: TestUser = { user: first.user, token: first.secret }

  const request = async (method: string, path: string, { token = admin.token, body, headers = {} }: Call = {}): Promise<Answer> => {
    const response = await app.request(new URL(path, `${publicUrl}/api/v2/`).href, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(method === 'GET' ? {} : { 'content-type': 'application/vnd.api+json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    if (response.status >= 500) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
    return readAnswer(response)
  }

  return {
    ...base,
    app,
    admin,
    request,
    newUser: async (username = testName('user')) => {
      const system = testCtx({ kind: 'system', name: 'test' })
      const user = await accounts.createUser(system, { username, email: `${username}@example.com` })
      const { secret } = await accounts.createUserToken(system, user.id, {})
      return { user, token: secret }
    },
    newOrganization: async (name = testName('org'), token = admin.token) => {
      const { status, text, one } = await request('POST', 'organizations', {
        token,
        body: documentOf('organizations', { name, email: 'owner@example.com' }),
      })
      if (status !== 201) throw new Error(`creating an organization answered ${status}: ${text}`)
      const project = one().relationships['default-project']?.data
      return { id: String(one().attributes['external-id']), name, defaultProjectId: Array.isArray(project) ? '' : (project?.id ?? '') }
    },
    ctxOf: testCtx,
    drop: async () => {
      await accounts.stop()
      await outbox.stop()
      await database.drop()
    },
  }
}
