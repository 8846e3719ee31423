import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TestApi, makeTestApi } from '../../../test/harness/api.ts'
import { makeFakeClock } from '../../../test/harness/fake-clock.ts'

const password = 'correct horse battery'

let clock: ReturnType<typeof makeFakeClock>
let api: TestApi
beforeEach(async () => {
  clock = makeFakeClock()
  api = await makeTestApi({ clock })
})
afterEach(() => api.drop())

const issue = async (): Promise<string> => (await api.accounts.issueSetupLink()) ?? ''

describe('the setup link', () => {
  it('sets name and password of the first administrator once, and signs in', async () => {
    const [token, other] = [await issue(), await issue()]
    expect(await api.accounts.getSetupLink(token)).toMatchObject({ username: 'admin', isSiteAdmin: true })
    const { secret } = await api.accounts.finishSetup(token, { username: 'grace', password })
    expect((await api.accounts.findSession(secret))?.actor).toMatchObject({ userId: api.admin.user.id, username: 'grace' })
    for (const used of [token, other]) {
      await expect(api.accounts.getSetupLink(used)).rejects.toMatchObject({ code: 'GONE' })
      await expect(api.accounts.finishSetup(used, { username: 'eve', password })).rejects.toMatchObject({ code: 'GONE' })
    }
    expect(await api.accounts.issueSetupLink()).toBeUndefined()
  })

  it('works once when two use it at the same time', async () => {
    const token = await issue()
    const tries = await Promise.allSettled(['a', 'b', 'c', 'd'].map((username) => api.accounts.finishSetup(token, { username, password })))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('ends after an hour; the next start makes another', async () => {
    const token = await issue()
    clock.advance(3_600_000)
    await expect(api.accounts.finishSetup(token, { username: 'grace', password })).rejects.toMatchObject({ code: 'GONE' })
    await api.accounts.finishSetup(await issue(), { username: 'grace', password })
  })

  it('is not stored as it is, and keeps a taken name out', async () => {
    const { user } = await api.newUser()
    const token = await issue()
    expect(JSON.stringify(await api.db.select().from(api.db.t.setupLinks))).not.toContain(token)
    await expect(api.accounts.finishSetup(token, { username: user.username.toUpperCase(), password })).rejects.toMatchObject({
      code: 'INVALID',
    })
  })
})
