import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Client } from 'pg'
import { silentLog } from '../../src/platform/log.ts'
import { makePresence, type Presence } from '../../src/platform/presence.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { waitFor } from '../harness/wait-for.ts'

const isAbsent = process.env['TERRANE_TEST_DATABASE_URL'] === undefined

describe.skipIf(isAbsent)('servers on one PostgreSQL', () => {
  let test: TestDatabase
  let started: Presence[]
  beforeEach(async () => {
    test = await openTestDatabase()
    started = []
  })
  afterEach(async () => {
    await Promise.all(started.map((presence) => presence.stop()))
    await test.drop()
  })
  const start = async (id: string): Promise<Presence> => {
    const presence = makePresence({ databaseUrl: test.url ?? '', id, log: silentLog })
    started.push(presence)
    await presence.start()
    return presence
  }

  it('see each other, and who is not there', async () => {
    const [one, two] = [await start('one'), await start('two')]
    expect(await one.missing(['one', 'two', 'three'])).toEqual(['three'])
    expect(await two.missing(['one', 'two'])).toEqual([])
  })

  it('see at once that one has gone', async () => {
    const [one, two] = [await start('one'), await start('two')]
    await two.stop()
    await waitFor(async () => (await one.missing(['two'])).length === 1, { timeoutMs: 2000, what: 'the other one to be missed' })
  })

  it('see one again whose connection broke', async () => {
    const [one, two] = [await start('one'), await start('two')]
    const admin = new Client({ connectionString: test.url })
    await admin.connect()
    await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'terrane-presence'")
    await admin.end()
    await waitFor(async () => (await one.missing(['one', 'nobody'])).join() === 'nobody', { what: 'the first one to be connected again' })
    await waitFor(async () => (await two.missing(['one', 'two', 'nobody'])).join() === 'nobody', { what: 'both to be seen again' })
  })

  it('miss nobody while they are not connected themselves', async () => {
    const one = makePresence({ databaseUrl: 'postgres://terrane@127.0.0.1:1/none', id: 'one', log: silentLog })
    await one.start()
    expect(await one.missing(['two'])).toEqual([])
    await one.stop()
  })

  it('do not take those of another database for theirs', async () => {
    const other = await openTestDatabase()
    const elsewhere = makePresence({ databaseUrl: other.url ?? '', id: 'two', log: silentLog })
    await elsewhere.start()
    const one = await start('one')
    expect(await one.missing(['two'])).toEqual(['two'])
    await elsewhere.stop()
    await other.drop()
  })
})
