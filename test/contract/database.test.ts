import { asc, eq, inArray, sql } from 'drizzle-orm'
import { Client } from 'pg'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database, Tx } from '../../src/platform/db/database.ts'
import { isUniqueViolation } from '../../src/platform/db/errors.ts'
import { preparedUpdate } from '../../src/platform/db/prepared-update.ts'
import { AppError } from '../../src/platform/errors.ts'
import type { Tables } from '../../src/main/schema.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { waitFor } from '../harness/wait-for.ts'

let test: TestDatabase
let db: Database<Tables>
beforeAll(async () => {
  test = await openTestDatabase()
  db = test.db
})
afterAll(() => test.drop())

const at = new Date('2026-01-02T03:04:05.678Z')
const isPostgres = process.env['TERRANE_TEST_DATABASE_URL'] !== undefined

const user = (id: string) => ({
  id,
  username: id,
  usernameKey: id,
  email: `${id}@example.com`,
  passwordHash: null,
  isSiteAdmin: false,
  createdAt: at,
  updatedAt: at,
})

const token = (id: string, userId: string) => ({ id, kind: 'user' as const, secretHash: `hash of ${id}`, userId, createdAt: at })

const thrownBy = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail('nothing was thrown'),
    (error: unknown) => error,
  )

describe('queries mean the same on both dialects', () => {
  it('returns inserted rows with dates to the millisecond, booleans and nulls', async () => {
    const row = { ...user('u-insert'), isSiteAdmin: true }
    const returned = await db.transaction((tx) => tx.insert(tx.t.users).values(row).returning())
    expect(returned).toEqual([row])
    expect(await db.select().from(db.t.users).where(eq(db.t.users.id, 'u-insert'))).toEqual([row])
  })

  it('joins, filters by a list, orders and counts', async () => {
    await db.transaction(async (tx) => {
      await tx.insert(tx.t.users).values([user('u-join-1'), user('u-join-2')])
      await tx.insert(tx.t.tokens).values([token('t-1', 'u-join-1'), token('t-2', 'u-join-2'), token('t-3', 'u-join-1')])
    })
    const { tokens, users } = db.t
    const rows = await db
      .select({ token: tokens.id, username: users.username })
      .from(tokens)
      .innerJoin(users, eq(tokens.userId, users.id))
      .where(inArray(tokens.id, ['t-1', 't-2', 't-none']))
      .orderBy(asc(tokens.id))
    expect(rows).toEqual([
      { token: 't-1', username: 'u-join-1' },
      { token: 't-2', username: 'u-join-2' },
    ])
    expect(await db.$count(tokens, eq(tokens.userId, 'u-join-1'))).toBe(2)
  })

  it('cascades deletes', async () => {
    await db.transaction(async (tx) => {
      await tx.insert(tx.t.users).values(user('u-cascade'))
      await tx.insert(tx.t.tokens).values(token('t-cascade', 'u-cascade'))
      await tx.delete(tx.t.users).where(eq(tx.t.users.id, 'u-cascade'))
    })
    expect(await db.$count(db.t.tokens, eq(db.t.tokens.id, 't-cascade'))).toBe(0)
  })

  it('upserts', async () => {
    const write = (value: string) =>
      db.transaction(async (tx) => {
        const { installation } = tx.t
        await tx.insert(installation).values({ key: 'upsert', value }).onConflictDoUpdate({ target: installation.key, set: { value } })
      })
    await write('one')
    await write('two')
    expect(await db.select().from(db.t.installation)).toContainEqual({ key: 'upsert', value: 'two' })
  })

  it('keeps integers beyond 32 bits and JSON', async () => {
    const payload = { text: 'ä "quoted"', big: 9_000_000_000, flag: false, nothing: null }
    await db.transaction(async (tx) => {
      await tx
        .insert(tx.t.events)
        .values({ id: 'e-1', sequence: 9_000_000_000, type: 't', subject: 's', version: 1, payload, createdAt: at })
    })
    const [row] = await db.select().from(db.t.events).where(eq(db.t.events.id, 'e-1'))
    expect(row).toMatchObject({ sequence: 9_000_000_000, payload, createdAt: at, organizationId: null })
  })

  it('lets exactly one of many conditional claims win', async () => {
    await db.transaction((tx) => tx.insert(tx.t.leases).values({ name: 'claim', owner: '', until: at, epoch: 0 }).returning())
    const claim = (owner: string) =>
      db.transaction((tx) => {
        const { leases } = tx.t
        return tx
          .update(leases)
          .set({ owner })
          .where(sql`${leases.name} = 'claim' and ${leases.owner} = ''`)
          .returning()
      })
    const results = await Promise.all(Array.from({ length: 10 }, (_, index) => claim(`owner-${index}`)))
    expect(results.filter((rows) => rows.length === 1)).toHaveLength(1)
  })

  it('loses no increment in 20 racing read-modify-writes under a row lock', async () => {
    const name = 'race'
    await db.transaction((tx) => tx.insert(tx.t.eventCursors).values({ name, sequence: 0 }).returning())
    const increment = () =>
      db.transaction(async (tx) => {
        const { eventCursors } = tx.t
        const [row] = await tx.forUpdate(tx.select().from(eventCursors).where(eq(eventCursors.name, name)))
        await tx
          .update(eventCursors)
          .set({ sequence: (row?.sequence ?? NaN) + 1 })
          .where(eq(eventCursors.name, name))
      })
    await Promise.all(Array.from({ length: 20 }, increment))
    expect(await db.select().from(db.t.eventCursors).where(eq(db.t.eventCursors.name, name))).toEqual([{ name, sequence: 20 }])
  })

  it('runs prepared updates of any columns, to values and to null', async () => {
    await db.transaction((tx) => tx.insert(tx.t.users).values({ ...user('u-update'), passwordHash: 'old' }))
    const save = (patch: Partial<Omit<ReturnType<typeof user>, 'passwordHash'> & { passwordHash: string | null }>) =>
      db.transaction((tx) =>
        preparedUpdate(tx, 'test_save', {
          patch,
          values: { id: 'u-update' },
          build: (q, set) =>
            q
              .update(tx.t.users)
              .set(set)
              .where(eq(tx.t.users.id, sql.placeholder('id')))
              .returning(),
        }),
      )
    const later = new Date(at.getTime() + 1)
    expect(await save({ email: 'new', passwordHash: 'new' })).toMatchObject([{ email: 'new', passwordHash: 'new', updatedAt: at }])
    expect(await save({ email: 'newer', passwordHash: null })).toMatchObject([{ email: 'newer', passwordHash: null }])
    expect(await save({ isSiteAdmin: true, updatedAt: later })).toMatchObject([{ isSiteAdmin: true, updatedAt: later, email: 'newer' }])
    expect(await save({ email: 'newest', passwordHash: 'again' })).toMatchObject([{ email: 'newest', passwordHash: 'again' }])
  })

  it('runs prepared queries', async () => {
    await db.transaction((tx) => tx.insert(tx.t.users).values(user('u-prepared')).returning())
    const { users } = db.t
    const find = db.prepare('test_user', (reads) =>
      reads
        .select({ id: users.id })
        .from(users)
        .where(eq(users.id, sql.placeholder('id'))),
    )
    expect(await find.execute({ id: 'u-prepared' })).toEqual([{ id: 'u-prepared' }])
    expect(await find.execute({ id: 'u-none' })).toEqual([])
  })
})

describe('transactions', () => {
  it('roll back as a whole and skip what was to follow the commit', async () => {
    const calls: string[] = []
    const failing = db.transaction(async (tx) => {
      tx.afterCommit(() => calls.push('after a roll-back'))
      await tx.insert(tx.t.users).values(user('u-rolled-back'))
      throw new AppError('CONFLICT', 'no')
    })
    await expect(failing).rejects.toMatchObject({ code: 'CONFLICT' })
    await db.transaction(async (tx) => tx.afterCommit(() => calls.push('after a commit')))
    expect(await db.$count(db.t.users, eq(db.t.users.id, 'u-rolled-back'))).toBe(0)
    expect(calls).toEqual(['after a commit'])
  })

  it('announce a topic after the commit, to who listens to it then', async () => {
    const heard: string[] = []
    const stop = db.onAnnounced('kettle', () => heard.push(`users: ${known}`))
    let known = 0
    const announce = (id: string, { fails = false } = {}) =>
      db.transaction(async (tx) => {
        tx.announce('kettle')
        tx.announce('other')
        await tx.insert(tx.t.users).values(user(id))
        known += 1
        expect(heard).toHaveLength(0)
        if (fails) throw new AppError('CONFLICT', 'no')
      })
    await expect(announce('u-unheard', { fails: true })).rejects.toMatchObject({ code: 'CONFLICT' })
    await announce('u-heard')
    expect(heard).toEqual(['users: 2'])
    stop()
    await db.transaction(async (tx) => tx.announce('kettle'))
    expect(heard).toHaveLength(1)
  })

  it('that do not wait for the disk are whole and in order all the same', async () => {
    const failing = db.transaction(
      async (tx) => {
        await tx.insert(tx.t.users).values(user('u-lazy-rolled-back'))
        throw new AppError('CONFLICT', 'no')
      },
      { isLazy: true },
    )
    await expect(failing).rejects.toMatchObject({ code: 'CONFLICT' })
    await db.transaction(async (tx) => void (await tx.insert(tx.t.users).values(user('u-lazy'))), { isLazy: true })
    expect(
      await db
        .select({ id: db.t.users.id })
        .from(db.t.users)
        .where(inArray(db.t.users.id, ['u-lazy', 'u-lazy-rolled-back'])),
    ).toEqual([{ id: 'u-lazy' }])
  })

  it('hide uncommitted rows from readers', async () => {
    await db.transaction(async (tx) => {
      await tx.insert(tx.t.users).values(user('u-hidden'))
      expect(await db.$count(db.t.users, eq(db.t.users.id, 'u-hidden'))).toBe(0)
      expect(await tx.$count(tx.t.users, eq(tx.t.users.id, 'u-hidden'))).toBe(1)
    })
    expect(await db.$count(db.t.users, eq(db.t.users.id, 'u-hidden'))).toBe(1)
  })

  it('turn a unique violation into an error without SQL or values', async () => {
    const add = () => db.transaction((tx) => tx.insert(tx.t.users).values(user('u-twice')).returning())
    await add()
    const error = await thrownBy(add())
    expect(error).toMatchObject({ code: 'INVALID', detail: 'has already been taken' })
    expect(isUniqueViolation(error)).toBe(true)
    expect(String(error)).not.toMatch(/u-twice|insert|users/i)
  })

  it('turn a missing parent into NOT_FOUND', async () => {
    const error = await thrownBy(db.transaction((tx) => tx.insert(tx.t.tokens).values(token('t-orphan', 'u-missing')).returning()))
    expect(error).toMatchObject({ code: 'NOT_FOUND' })
    expect(String(error)).not.toMatch(/u-missing|insert/i)
  })

  it('keep parameters out of the text of any other database error', async () => {
    const error = await thrownBy(db.transaction((tx) => tx.select({ broken: sql`no_such_function(${'secret-value'})` }).from(tx.t.users)))
    expect(error).toBeInstanceOf(Error)
    expect(String(error)).not.toMatch(/secret-value|select/i)
  })
})

describe.runIf(isPostgres)('PostgreSQL', () => {
  const lock = async (tx: Tx<Tables>, name: string): Promise<void> => {
    await tx.forUpdate(tx.select().from(tx.t.eventCursors).where(eq(tx.t.eventCursors.name, name)))
  }

  const backendOf = async (tx: Tx<Tables>): Promise<number> => {
    const [row] = await tx.select({ pid: sql<number>`pg_backend_pid()` }).from(sql`(select 1) as one`)
    return row?.pid ?? 0
  }

  it('runs a transaction again that lost a deadlock', async () => {
    await db.transaction((tx) =>
      tx
        .insert(tx.t.eventCursors)
        .values([
          { name: 'left', sequence: 0 },
          { name: 'right', sequence: 0 },
        ])
        .returning(),
    )
    let attempts = 0
    const holding = new Set<string>()
    const lockBoth = (first: string, second: string) =>
      db.transaction(async (tx) => {
        attempts += 1
        await lock(tx, first)
        holding.add(first)
        // only the first attempts wait for each other
        if (attempts <= 2) await waitFor(() => holding.size === 2)
        await lock(tx, second)
        await tx
          .update(tx.t.eventCursors)
          .set({ sequence: sql`${tx.t.eventCursors.sequence} + 1` })
          .where(eq(tx.t.eventCursors.name, second))
      })
    await Promise.all([lockBoth('left', 'right'), lockBoth('right', 'left')])
    expect(attempts).toBeGreaterThan(2)
    const rows = await db
      .select()
      .from(db.t.eventCursors)
      .where(inArray(db.t.eventCursors.name, ['left', 'right']))
    expect(rows.map((row) => row.sequence)).toEqual([1, 1])
  })

  it('does not report success when the server rolled back at the commit', async () => {
    const swallowing = db.transaction(async (tx) => {
      await tx.insert(tx.t.users).values(user('u-swallowed'))
      await tx
        .insert(tx.t.users)
        .values(user('u-swallowed'))
        .then(
          () => undefined,
          () => undefined,
        )
    })
    await expect(swallowing).rejects.toThrow(/rolled back/)
    expect(await db.$count(db.t.users, eq(db.t.users.id, 'u-swallowed'))).toBe(0)
  })

  it('survives the loss of a connection inside a transaction', async () => {
    const killer = new Client({ connectionString: test.url })
    await killer.connect()
    const error = await thrownBy(
      db.transaction(async (tx) => {
        const pid = await backendOf(tx)
        await killer.query('SELECT pg_terminate_backend($1)', [pid])
        await waitFor(async () => (await killer.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [pid])).rowCount === 0)
        await tx.insert(tx.t.users).values({ ...user('u-lost'), email: 'secret-value' })
      }),
    )
    await killer.end()
    expect(String(error)).not.toMatch(/secret-value|insert/i)
    await db.transaction((tx) => tx.insert(tx.t.users).values(user('u-after-loss')).returning())
    expect(await db.$count(db.t.users, eq(db.t.users.id, 'u-lost'))).toBe(0)
  })
})

describe('migrations', () => {
  type Snapshot = {
    tables: Record<string, { name: string; columns: Record<string, { name: string; notNull: boolean; primaryKey: boolean }> }>
  }

  const columnsOf = async (dialect: string): Promise<string[]> => {
    const meta = new URL(`../../migrations/${dialect}/meta/`, import.meta.url)
    const journal = JSON.parse(await readFile(new URL('_journal.json', meta), 'utf8')) as { entries: { tag: string }[] }
    const number = journal.entries.at(-1)?.tag.slice(0, 4)
    const snapshot = JSON.parse(await readFile(new URL(`${number}_snapshot.json`, meta), 'utf8')) as Snapshot
    return Object.values(snapshot.tables)
      .flatMap((table) => Object.values(table.columns).map((column) => `${table.name}.${column.name}${column.notNull ? ' not null' : ''}`))
      .sort()
  }

  it('of both dialects end with the same tables and columns', async () => {
    const sqlite = await columnsOf('sqlite')
    expect(sqlite).toContain('events.sequence not null')
    expect(await columnsOf('postgres')).toEqual(sqlite)
  })
})
