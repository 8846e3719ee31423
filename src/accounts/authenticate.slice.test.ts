import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApi, makeTestApi } from '../../test/harness/api.ts'
import { makeFakeClock } from '../../test/harness/fake-clock.ts'
import { waitFor } from '../../test/harness/wait-for.ts'

const clock = makeFakeClock()
let api: TestApi
beforeAll(async () => {
  api = await makeTestApi({ clock })
})
afterAll(() => api.drop())

const system = () => api.ctxOf({ kind: 'system', name: 'test' })
const newToken = async (expiredAt?: Date) => api.accounts.createUserToken(system(), api.admin.user.id, { expiredAt })
const lastUsedAt = async (id: string) => {
  const me = api.ctxOf({ kind: 'user', userId: api.admin.user.id, username: 'admin', isSiteAdmin: true, tokenId: '' })
  return (await api.accounts.getToken(me, id)).lastUsedAt
}

describe('authenticate', () => {
  it('tells who holds a user token', async () => {
    const { token, secret } = await newToken()
    expect(await api.accounts.authenticate(secret)).toEqual({
      kind: 'user',
      userId: api.admin.user.id,
      username: 'admin',
      isSiteAdmin: true,
      tokenId: token.id,
    })
  })

  it('knows no secret that was not given out', async () => {
    const { secret } = await newToken()
    const other = secret.endsWith('1') ? '2' : '1'
    for (const wrong of ['', secret.slice(1), `${secret.slice(0, -1)}${other}`, `${secret} `, secret.toLowerCase(), 'x'.repeat(100_000)]) {
      expect(await api.accounts.authenticate(wrong)).toBeUndefined()
    }
  })

  it('ends at the expiry, to the millisecond', async () => {
    const { secret } = await newToken(new Date(clock.now().getTime() + 5000))
    clock.advance(4999)
    expect(await api.accounts.authenticate(secret)).toBeDefined()
    clock.advance(1)
    expect(await api.accounts.authenticate(secret)).toBeUndefined()
  })

  it('stores a hash, and the secret nowhere', async () => {
    const { secret } = await newToken()
    const rows = JSON.stringify(await api.db.select().from(api.db.t.tokens)) + JSON.stringify(await api.db.select().from(api.db.t.events))
    for (const part of secret.split('.').filter((part) => part !== 'terranev1')) expect(rows).not.toContain(part)
  })
})

describe('last used', () => {
  it('is written behind the request, at most once a minute', async () => {
    const { token, secret } = await newToken()
    const first = clock.now()
    await Promise.all(Array.from({ length: 20 }, () => api.accounts.authenticate(secret)))
    await waitFor(async () => (await lastUsedAt(token.id))?.getTime() === first.getTime(), { what: 'the first use to be written' })

    clock.advance(59_999)
    await api.accounts.authenticate(secret)
    await api.accounts.stop()
    expect(await lastUsedAt(token.id)).toEqual(first)

    clock.advance(1)
    await api.accounts.authenticate(secret)
    await api.accounts.stop()
    expect(await lastUsedAt(token.id)).toEqual(clock.now())
  })
})

describe('run tokens', () => {
  const holder = { runId: 'run-1111111111111111', workspaceId: 'ws-1111111111111111', organizationId: 'org-1111111111111111' }
  const issue = () => api.db.transaction((tx) => api.accounts.runTokens.issue(tx, holder, new Date(clock.now().getTime() + 60_000)))

  it('act as the run until they are revoked', async () => {
    const secret = await issue()
    expect(await api.accounts.authenticate(secret)).toMatchObject({ kind: 'run', ...holder })
    await api.db.transaction((tx) => api.accounts.runTokens.revoke(tx, holder.runId))
    expect(await api.accounts.authenticate(secret)).toBeUndefined()
  })

  it('administer nothing: no account, no tokens, no organizations', async () => {
    const token = await issue()
    const calls: [string, string][] = [
      ['GET', 'account/details'],
      ['PATCH', 'account/update'],
      ['POST', `users/${api.admin.user.id}/authentication-tokens`],
      ['GET', `users/${api.admin.user.id}`],
      ['GET', 'admin/feature-sets'],
    ]
    for (const [method, path] of calls) expect((await api.request(method, path, { token })).status).toBe(404)
    const [own] = await api.db.select().from(api.db.t.tokens)
    expect((await api.request('GET', `authentication-tokens/${own?.id}`, { token })).status).toBe(404)
    expect((await api.request('GET', 'organizations', { token })).many()).toEqual([])
  })

  it('are shown to nobody', async () => {
    await issue()
    const rows = await api.db.select().from(api.db.t.tokens)
    const id = rows.find(({ kind }) => kind === 'run')?.id
    expect((await api.request('GET', `authentication-tokens/${id}`)).status).toBe(404)
    expect((await api.request('DELETE', `authentication-tokens/${id}`)).status).toBe(404)
  })
})
