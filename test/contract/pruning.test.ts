import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { getTableColumns } from 'drizzle-orm'
import { blobTablesOf, readReferences } from '../../src/platform/blobs/references.ts'
import { newId } from '../../src/platform/ids.ts'
import { pruneJobs } from '../../src/platform/jobs/prune-jobs.ts'
import { pruneEvents } from '../../src/platform/outbox/prune-events.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'

const never = new AbortController().signal
const start = new Date('2026-01-01T00:00:00Z')
const at = (minutes: number): Date => new Date(start.getTime() + minutes * 60_000)

let test: TestDatabase
beforeEach(async () => {
  test = await openTestDatabase()
})
afterEach(() => test.drop())

describe('references to blobs', () => {
  it('are read from every column that can hold one', () => {
    // safe because `t` holds the tables
    const tables = test.db.t as unknown as Record<string, SQLiteTable>
    const known = blobTablesOf(tables).flatMap(({ keys }) => keys.map(({ name }) => name))
    expect(known).toEqual(
      expect.arrayContaining(['blob_key', 'json_blob_key', 'plan_blob_key', 'schemas_blob_key', 'redacted_json_blob_key', 'log_blob_key']),
    )
    const suspicious = Object.values(tables).flatMap((table) =>
      Object.values(getTableColumns(table)).filter(({ name }) => name.includes('blob')),
    )
    expect(suspicious.map(({ name }) => name).filter((name) => !name.endsWith('blob_key'))).toEqual([])
  })

  it('are all found, however many rows there are', async () => {
    const keys = Array.from({ length: 1203 }, (_, i) => (i * 7919).toString(16).padStart(8, '0').padEnd(64, 'a'))
    await test.db.transaction(async (tx) => {
      const rows = keys.map((blobKey) => ({ key: newId('x'), providers: [], blobKey, createdAt: start }))
      for (let i = 0; i < rows.length; i += 200) await tx.insert(tx.t.providerSchemas).values(rows.slice(i, i + 200))
    })
    const references = await readReferences(test.db, never)
    expect(references.size).toBe(1203)
    expect(keys.filter((key) => !references.has(key))).toEqual([])
    expect(references.has('f'.repeat(64))).toBe(false)
  })
})

describe('old events', () => {
  const write = (count: number) =>
    test.db.transaction(async (tx) => {
      const rows = Array.from({ length: count }, (_, i) => ({
        id: newId('evt'),
        sequence: i + 1,
        type: 'test.happened',
        subject: 'test',
        version: 0,
        payload: {},
        createdAt: at(i),
      }))
      for (let i = 0; i < rows.length; i += 100) await tx.insert(tx.t.events).values(rows.slice(i, i + 100))
      await tx.insert(tx.t.eventCursors).values({ name: 'events', sequence: count })
    })
  const first = async () => (await test.db.select().from(test.db.t.events).orderBy(test.db.t.events.sequence).limit(1))[0]?.sequence

  it('are deleted up to a time', async () => {
    await write(1200)
    expect(await pruneEvents(test.db, at(1100), never)).toBe(1100)
    expect(await first()).toBe(1101)
    expect(await pruneEvents(test.db, at(1100), never)).toBe(0)
    expect(await pruneEvents(test.db, at(5000), never)).toBe(100)
    expect(await first()).toBeUndefined()
  })

  it('stay for consumers that have not seen them', async () => {
    await write(50)
    await test.db.transaction(async (tx) => {
      await tx.insert(tx.t.eventCursors).values([
        { name: 'consumer:quick', sequence: 50 },
        { name: 'consumer:slow', sequence: 20 },
      ])
    })
    expect(await pruneEvents(test.db, at(5000), never)).toBe(20)
    expect(await first()).toBe(21)
  })
})

describe('ended jobs', () => {
  it('are deleted some time after their end; others stay', async () => {
    const job = (status: string, finishedAt: Date | null) => ({
      id: newId('job'),
      queue: 'test',
      payload: {},
      status,
      runAt: start,
      attempts: 1,
      maxAttempts: 1,
      createdAt: start,
      finishedAt,
    })
    await test.db.transaction(async (tx) => {
      await tx
        .insert(tx.t.jobs)
        .values([job('done', at(1)), job('dead', at(2)), job('done', at(10)), job('queued', null), job('running', null)])
      const many = Array.from({ length: 600 }, () => job('done', at(0)))
      for (let i = 0; i < many.length; i += 100) await tx.insert(tx.t.jobs).values(many.slice(i, i + 100))
    })
    expect(await pruneJobs(test.db, at(5), never)).toBe(602)
    expect((await test.db.select().from(test.db.t.jobs)).map(({ status }) => status).sort()).toEqual(['done', 'queued', 'running'])
  })
})
