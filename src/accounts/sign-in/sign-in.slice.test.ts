import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TestApi, makeTestApi } from '../../../test/harness/api.ts'
import { makeFakeClock } from '../../../test/harness/fake-clock.ts'

const password = 'correct horse battery'
const DAY_MS = 86_400_000

let clock: ReturnType<typeof makeFakeClock>
let api: TestApi
beforeEach(async () => {
  clock = makeFakeClock()
  api = await makeTestApi({ clock })
  const link = await api.accounts.issueSetupLink()
  await api.accounts.finishSetup(link ?? '', { username: 'Ada', password })
})
afterEach(() => api.drop())

const signIn = (given: Partial<{ username: string; password: string; address: string }> = {}) =>
  api.accounts.signIn({ username: 'ada', password, address: '10.0.0.1', ...given })

describe('signIn', () => {
  it('opens a session that says who it is and has a token for forms', async () => {
    const { secret } = await signIn({ username: ' ADA ' })
    const session = await api.accounts.findSession(secret)
    expect(session).toMatchObject({ actor: { kind: 'user', userId: api.admin.user.id, username: 'Ada', isSiteAdmin: true } })
    expect(session?.actor).not.toHaveProperty('tokenId')
    expect(session?.csrfToken).toMatch(/^[\w-]{43}$/)
    expect(session?.csrfToken).not.toBe((await api.accounts.findSession((await signIn()).secret))?.csrfToken)
  })

  it('stores neither the password nor the secret of the session', async () => {
    const { secret } = await signIn()
    const { users, sessions } = api.db.t
    const stored = JSON.stringify([await api.db.select().from(users), await api.db.select().from(sessions)])
    expect(stored).toContain('scrypt$15$8$3$')
    expect(stored).not.toContain(password)
    expect(stored).not.toContain(secret)
  })

  it.each([
    ['a wrong password', { password: 'correct horse batterx' }],
    ['an unknown user', { username: 'bob' }],
    ['an empty password', { password: '' }],
  ])('refuses %s with one text', async (_, given) => {
    await expect(signIn(given)).rejects.toMatchObject({ code: 'UNAUTHORIZED', detail: 'The user name or the password is wrong.' })
  })

  it('refuses a user without a password', async () => {
    const { user } = await api.newUser()
    await expect(signIn({ username: user.username, password: '' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('takes the NFC and the NFD form of a password for the same', async () => {
    const other = await makeTestApi()
    try {
      await other.accounts.finishSetup((await other.accounts.issueSetupLink()) ?? '', {
        username: 'ada',
        password: 'größe und länge'.normalize('NFC'),
      })
      expect(await other.accounts.signIn({ username: 'ada', password: 'größe und länge'.normalize('NFD'), address: '::1' })).toHaveProperty(
        'secret',
      )
    } finally {
      await other.drop()
    }
  })
})

describe('sessions', () => {
  it('end after 14 days, at sign-out, and are not found by anything else', async () => {
    const [first, second] = [await signIn(), await signIn()]
    await api.accounts.signOut(first.secret)
    expect(await api.accounts.findSession(first.secret)).toBeUndefined()
    clock.advance(14 * DAY_MS - 1)
    expect(await api.accounts.findSession(second.secret)).toBeDefined()
    clock.advance(1)
    expect(await api.accounts.findSession(second.secret)).toBeUndefined()
    for (const wrong of ['', 'x', 'A'.repeat(43), api.admin.token]) expect(await api.accounts.findSession(wrong)).toBeUndefined()
  })

  it('work in organizations that take no user tokens', async () => {
    const organization = await api.newOrganization()
    await api.request('PATCH', `organizations/${organization.name}`, {
      body: { data: { type: 'organizations', attributes: { 'user-tokens-enabled': false } } },
    })
    expect((await api.request('GET', `organizations/${organization.name}`)).status).toBe(401)
    const session = await api.accounts.findSession((await signIn()).secret)
    const found = await api.organizations.getOrganization(api.ctxOf(session!.actor), organization.name)
    expect(found.name).toBe(organization.name)
  })
})
