import { systemClock } from '../platform/clock.ts'
import type { Actor } from '../platform/context.ts'
import { silentLog } from '../platform/log.ts'
import type { Endpoint } from './endpoint.ts'
import { type ApiDeps, makeApi } from './server.ts'

export const alice: Actor = { kind: 'user', userId: 'user-alice', username: 'alice', isSiteAdmin: false, tokenId: 'at-1' }

/** For tests: an API of a few endpoints where the token `good` is alice. */
export const toyApi = (endpoints: Endpoint[], more: Partial<ApiDeps> = {}) => {
  const app = makeApi({
    endpoints,
    authenticate: async (token) => (token === 'good' ? alice : undefined),
    publicUrl: 'https://terrane.test',
    log: silentLog,
    clock: systemClock,
    ...more,
  })
  const headers = { authorization: 'Bearer good', accept: 'application/vnd.api+json', 'content-type': 'application/vnd.api+json' }
  return {
    app,
    /** Sends `body` as JSON (a string as it is) and reads the answer as JSON. */
    call: async (method: string, path: string, body?: unknown) => {
      const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
      const response = await app.request(path, { method, headers, body: text })
      const answer = await response.text()
      return { status: response.status, headers: response.headers, body: answer === '' ? undefined : JSON.parse(answer) }
    },
  }
}
