import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TestApi, makeTestApi } from '../../../test/harness/api.ts'
import { makeFakeClock } from '../../../test/harness/fake-clock.ts'

const codeVerifier = '8ee66ab1-3b1e-4f3b-a0a9-0a5cf3b7a1de.123456789'
const authorization = {
  clientId: 'terraform-cli',
  redirectUri: 'http://localhost:10004/login',
  codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
}
const proof = { clientId: authorization.clientId, redirectUri: authorization.redirectUri, codeVerifier }

let clock: ReturnType<typeof makeFakeClock>
let api: TestApi
beforeEach(async () => {
  clock = makeFakeClock()
  api = await makeTestApi({ clock })
})
afterEach(() => api.drop())

const issue = () =>
  api.accounts.issueAuthorizationCode(
    api.ctxOf({ kind: 'user', userId: api.admin.user.id, username: 'admin', isSiteAdmin: true }),
    authorization,
  )

describe('authorization codes', () => {
  it('become a user token named after what asked for it', async () => {
    const secret = await api.accounts.redeemAuthorizationCode({ code: await issue(), ...proof })
    expect(await api.accounts.authenticate(secret ?? '')).toMatchObject({ kind: 'user', userId: api.admin.user.id })
    const { many } = await api.request('GET', `users/${api.admin.user.id}/authentication-tokens`)
    expect(many().map(({ attributes }) => attributes['description'])).toContain('terraform login')
  })

  it('R056: work once, also when two come at the same time', async () => {
    const code = await issue()
    const made = await Promise.all([1, 2].map(() => api.accounts.redeemAuthorizationCode({ code, ...proof })))
    expect(made.filter((each) => each !== undefined)).toHaveLength(1)
    expect(await api.accounts.redeemAuthorizationCode({ code, ...proof })).toBeUndefined()
  })

  it.each([
    ['another verifier', { codeVerifier: 'x' }],
    ['another redirect', { redirectUri: 'http://localhost:10005/login' }],
    ['another client', { clientId: 'other' }],
    ['another code', { code: 'x' }],
  ])('are refused with %s', async (_, wrong) => {
    expect(await api.accounts.redeemAuthorizationCode({ code: await issue(), ...proof, ...wrong })).toBeUndefined()
  })

  it('end after five minutes', async () => {
    const code = await issue()
    clock.advance(5 * 60_000)
    expect(await api.accounts.redeemAuthorizationCode({ code, ...proof })).toBeUndefined()
  })

  it('are not stored as they are, and only users give them', async () => {
    const code = await issue()
    expect(JSON.stringify(await api.db.select().from(api.db.t.authorizationCodes))).not.toContain(code)
    await expect(api.accounts.issueAuthorizationCode(api.ctxOf({ kind: 'anonymous' }), authorization)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})
