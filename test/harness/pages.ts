import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compose, type Terrane } from '../../src/main/compose.ts'
import { parseConfig } from '../../src/main/config.ts'
import { silentLog } from '../../src/platform/log.ts'
import { testCtx } from './api.ts'

export type PageAnswer = { status: number; headers: Headers; text: string; location: string | null }
type Call = { form?: Record<string, string>; headers?: Record<string, string>; cookie?: string | undefined }

/** The whole server without sockets and without anything that runs, and a browser of a signed-in user. */
export type Pages = {
  terrane: Terrane
  /** Of the first administrator. */
  cookie: string
  /** His forms' token. */
  csrf: string
  /** As the administrator, or whoever has the cookie; `cookie: ''` is nobody. */
  visit(method: 'GET' | 'POST', path: string, call?: Call): Promise<PageAnswer>
  /** The API as the holder of `token`; the administrator by default. */
  api(
    method: string,
    path: string,
    data?: unknown,
    token?: string,
  ): Promise<{ status: number; body: { data: { id: string; attributes: Record<string, unknown> } } }>
  /** A user of his own, with the name and an API token. */
  newUser(username: string): Promise<string>
  drop(): Promise<void>
}

export const password = 'correct horse battery staple'

export const makePages = async (): Promise<Pages> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'terrane-pages-'))
  const flags = { data: dataDir, listen: '127.0.0.1:8080', runner: 'in-process', workDir: join(dataDir, 'work') }
  const terrane = await compose(parseConfig(flags, {}), silentLog)
  const { app, accounts } = terrane
  const admin = await accounts.bootstrapAdmin()
  const setup = await accounts.issueSetupLink()
  const { secret } = await accounts.finishSetup(setup ?? '', { username: 'ada', password })
  const ownCookie = `terrane_session_8080=${secret}`
  return {
    terrane,
    cookie: ownCookie,
    csrf: (await accounts.findSession(secret))?.csrfToken ?? '',
    visit: async (method, path, { form, headers = {}, cookie = ownCookie } = {}) => {
      const response = await app.request(`http://127.0.0.1:8080${path}`, {
        method,
        headers: { cookie, accept: 'text/html', ...headers },
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      })
      return { status: response.status, headers: response.headers, text: await response.text(), location: response.headers.get('location') }
    },
    api: async (method, path, data, token = admin?.secret ?? '') => {
      const response = await app.request(`http://127.0.0.1:8080/api/v2/${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
        ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
    },
    newUser: async (username) => {
      const system = testCtx({ kind: 'system', name: 'test' })
      const user = await accounts.createUser(system, { username, email: `${username}@example.com` })
      return (await accounts.createUserToken(system, user.id, {})).secret
    },
    drop: async () => {
      await terrane.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
