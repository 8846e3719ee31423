import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, openTestDatabase } from '../../test/harness/database.ts'
import { systemClock } from '../platform/clock.ts'
import { silentLog } from '../platform/log.ts'
import { makeOutbox } from '../platform/outbox/outbox.ts'
import { makeAccounts } from './index.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.drop())

/** As each replica has its own. */
const makeReplica = () =>
  makeAccounts({
    db: database.db,
    clock: systemClock,
    log: silentLog,
    outbox: makeOutbox({ db: database.db, clock: systemClock, log: silentLog }),
    organizations: {
      find: async () => undefined,
      authorizeTokens: async () => undefined,
      findTeam: async () => undefined,
      authorizeTeamTokens: async () => undefined,
    },
  })

describe('bootstrapAdmin', () => {
  it('makes the first site administrator with a token that works, once', async () => {
    const accounts = makeReplica()
    const made = await accounts.bootstrapAdmin()
    expect(made?.user).toMatchObject({ username: 'admin', isSiteAdmin: true })
    expect(await accounts.authenticate(made?.secret ?? '')).toMatchObject({ kind: 'user', username: 'admin', isSiteAdmin: true })
    expect(await accounts.bootstrapAdmin()).toBeUndefined()
    expect(await database.db.$count(database.db.t.tokens)).toBe(1)
  })

  it('makes one when replicas start at once', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => makeReplica().bootstrapAdmin()))
    expect(made.filter((each) => each !== undefined)).toHaveLength(1)
    expect(await database.db.$count(database.db.t.users)).toBe(1)
    expect(await database.db.$count(database.db.t.tokens)).toBe(1)
  })
})
