import { eq, sql } from 'drizzle-orm'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { silentLog } from '../../src/platform/log.ts'
import { makeOutbox, type Outbox } from '../../src/platform/outbox/outbox.ts'
import type { Tables } from '../../src/main/schema.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { waitFor } from '../harness/wait-for.ts'

let test: TestDatabase
const started: Outbox<Tables>[] = []
beforeEach(async () => {
  test = await openTestDatabase()
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((outbox) => outbox.stop()))
  await test.drop()
})

const isPostgres = process.env['TERRANE_TEST_DATABASE_URL'] !== undefined

const make = (databaseUrl?: string): Outbox<Tables> => makeOutbox({ db: test.db, clock: systemClock, log: silentLog, databaseUrl })

const start = async (outbox: Outbox<Tables>): Promise<void> => {
  started.push(outbox)
  await outbox.start()
}

const emit = (outbox: Outbox<Tables>, subject: string): Promise<void> =>
  test.db.transaction((tx) => outbox.emit(tx, { type: 'thing.happened', subject }))

/** A durable effect of a handler: a row per event. A second one for the same event would violate its key. */
const record = async (
  tx: Parameters<Parameters<Outbox<Tables>['consume']>[0]['handle']>[0],
  consumer: string,
  subject: string,
): Promise<void> => {
  await tx.insert(tx.t.installation).values({ key: `${consumer}/${subject}`, value: '' })
}

const recorded = async (consumer: string): Promise<string[]> => {
  const { installation } = test.db.t
  const rows = await test.db
    .select()
    .from(installation)
    .where(sql`${installation.key} like ${`${consumer}/%`}`)
  return rows.map((row) => row.key.slice(consumer.length + 1)).sort()
}

const subjects = (count: number): string[] => Array.from({ length: count }, (_, index) => `s-${String(index).padStart(3, '0')}`)

describe('emit', () => {
  it('writes the event with the change, and nothing when that is rolled back', async () => {
    const outbox = make()
    await test.db.transaction((tx) =>
      outbox.emit(tx, { type: 'run.applied', subject: 'run-1', organizationId: 'org-1', version: 3, payload: { status: 'applied' } }),
    )
    const failing = test.db.transaction(async (tx) => {
      await outbox.emit(tx, { type: 'run.applied', subject: 'run-2' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await emit(outbox, 'run-3')
    const rows = await test.db.select().from(test.db.t.events).orderBy(test.db.t.events.sequence)
    expect(rows).toMatchObject([
      { sequence: 1, type: 'run.applied', subject: 'run-1', organizationId: 'org-1', version: 3, payload: { status: 'applied' } },
      { sequence: 2, subject: 'run-3', organizationId: null, version: 0, payload: {} },
    ])
  })

  it('numbers without gaps in the order of commits, for many writers at once', async () => {
    const outbox = make()
    const reader = make()
    const heard: number[] = []
    reader.listen((event) => heard.push(event.sequence))
    await start(reader)
    await Promise.all(subjects(60).map((subject) => emit(outbox, subject)))
    await waitFor(() => heard.length === 60, { what: '60 events' })
    expect(heard).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
  })
})

describe('listeners', () => {
  it('hear each event once, in order, soon after its commit and until they stop', async () => {
    const outbox = make()
    await emit(outbox, 'before the start')
    const heard: string[] = []
    outbox.listen(() => {
      throw new Error('a bad listener')
    })
    const stop = outbox.listen((event) => heard.push(event.subject))
    await start(outbox)
    await test.db.transaction(async (tx) => {
      await outbox.emit(tx, { type: 't', subject: 'a' })
      await outbox.emit(tx, { type: 't', subject: 'b' })
      expect(heard).toEqual([])
    })
    const committedAt = performance.now()
    await waitFor(() => heard.length === 2, { everyMs: 1 })
    expect(performance.now() - committedAt).toBeLessThan(500)
    stop()
    let control = ''
    outbox.listen((event) => (control = event.subject))
    await emit(outbox, 'c')
    await waitFor(() => control === 'c')
    expect(heard).toEqual(['a', 'b'])
  })

  it('hear the events of another replica', async () => {
    const here = make(test.url)
    const heard: string[] = []
    here.listen((event) => heard.push(event.subject))
    await start(here)
    await emit(make(), 'from elsewhere')
    await waitFor(() => heard.length === 1)
    expect(heard).toEqual(['from elsewhere'])
  })
})

describe('consumers', () => {
  it('handle every event once, shared by two replicas, in order', async () => {
    const order: number[] = []
    for (let replica = 0; replica < 2; replica++) {
      const outbox = make(test.url)
      outbox.consume({
        name: 'audit',
        handle: async (tx, event) => {
          await record(tx, 'audit', event.subject)
          order.push(event.sequence)
        },
      })
      await start(outbox)
    }
    const [writer = make()] = started
    await Promise.all(subjects(120).map((subject) => emit(writer, subject)))
    await waitFor(async () => (await recorded('audit')).length === 120)
    expect(await recorded('audit')).toEqual(subjects(120))
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(order).toHaveLength(120)
  })

  it('begin with the events after their first start and go on where they stopped', async () => {
    const consumer = {
      name: 'audit',
      handle: (tx: Parameters<typeof record>[0], event: { subject: string }) => record(tx, 'audit', event.subject),
    }
    const first = make()
    await emit(first, 'too early')
    first.consume(consumer)
    await first.start()
    await emit(first, 'a')
    await waitFor(async () => (await recorded('audit')).length === 1)
    await first.stop()
    await emit(first, 'b')
    const second = make()
    second.consume(consumer)
    await start(second)
    await waitFor(async () => (await recorded('audit')).length === 2)
    expect(await recorded('audit')).toEqual(['a', 'b'])
  })

  it('try a failing event again until it succeeds; nothing of a failed try remains and nothing is lost', async () => {
    const outbox = make()
    let failures = 3
    outbox.consume({
      name: 'fragile',
      handle: async (tx, event) => {
        await record(tx, 'fragile', event.subject)
        if (event.subject === 's-002' && failures-- > 0) throw new Error('not yet')
      },
    })
    outbox.consume({ name: 'sound', handle: (tx, event) => record(tx, 'sound', event.subject) })
    await start(outbox)
    await test.db.transaction(async (tx) => {
      for (const subject of subjects(5)) await outbox.emit(tx, { type: 't', subject })
    })
    await waitFor(async () => (await recorded('sound')).length === 5)
    await waitFor(async () => (await recorded('fragile')).length >= 2)
    await waitFor(async () => (await recorded('fragile')).length === 5)
    expect(failures).toBe(-1)
  })

  it('are refused after the start', async () => {
    const outbox = make()
    await start(outbox)
    expect(() => outbox.consume({ name: 'late', handle: async () => undefined })).toThrow('before the outbox is started')
  })
})

describe.runIf(isPostgres)('notifications of PostgreSQL', () => {
  it('come sooner than the poll, and again after the connection was lost', async () => {
    const here = make(test.url)
    const heardAt = new Map<string, number>()
    here.listen((event) => heardAt.set(event.subject, performance.now()))
    await start(here)
    const admin = new Client({ connectionString: test.url })
    await admin.connect()
    const listeners = async (): Promise<number[]> => {
      const query = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'terrane-events'
        AND query LIKE 'LISTEN%' AND state = 'idle'`
      return (await admin.query<{ pid: number }>(query)).rows.map((row) => row.pid)
    }

    const delaysMs = async (round: string): Promise<number> => {
      const delays: number[] = []
      for (let count = 0; count < 7; count++) {
        const subject = `${round}-${count}`
        await emit(make(), subject)
        const committedAt = performance.now()
        await waitFor(() => heardAt.has(subject), { everyMs: 1 })
        delays.push((heardAt.get(subject) ?? Infinity) - committedAt)
      }
      // the median: with polling alone it would be some hundred milliseconds
      return delays.sort((a, b) => a - b)[3] ?? Infinity
    }

    const [pid] = await waitFor(async () => {
      const pids = await listeners()
      return pids.length === 1 && pids
    })
    expect(await delaysMs('first')).toBeLessThan(100)
    await admin.query('SELECT pg_terminate_backend($1)', [pid])
    await waitFor(async () => {
      const [now] = await listeners()
      return now !== undefined && now !== pid
    })
    expect(await delaysMs('second')).toBeLessThan(100)
    await admin.end()
  })
})

it('counts from the cursor row, whichever replica made it', async () => {
  await Promise.all(subjects(5).map((subject) => emit(make(), subject)))
  const { eventCursors } = test.db.t
  expect(await test.db.select().from(eventCursors).where(eq(eventCursors.name, 'events'))).toEqual([{ name: 'events', sequence: 5 }])
})
