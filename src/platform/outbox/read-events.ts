import { asc, eq, gt, sql } from 'drizzle-orm'
import type { Database, Tx } from '../db/database.ts'
import type { PlatformTables } from '../db/tables.ts'
import { EVENT_COUNTER, type DomainEvent } from './emit.ts'

/** An event as it was written. `sequence` rises by one with each, in the order of commits. */
export type EmittedEvent = Required<Omit<DomainEvent, 'organizationId'>> & {
  id: string
  sequence: number
  organizationId: string | undefined
  at: Date
}

type Reader = Pick<Database<PlatformTables> | Tx<PlatformTables>, 'prepare' | 't'>

/** At most `limit` events after `sequence`, oldest first. */
export const readEvents = async (db: Reader, sequence: number, limit: number): Promise<EmittedEvent[]> => {
  const { events } = db.t
  const prepared = db.prepare('events_read', (q) =>
    q
      .select()
      .from(events)
      .where(gt(events.sequence, sql.placeholder('sequence')))
      .orderBy(asc(events.sequence))
      .limit(sql.placeholder('limit')),
  )
  const rows = await prepared.execute({ sequence, limit })
  return rows.map(({ createdAt, organizationId, ...row }) => ({ ...row, organizationId: organizationId ?? undefined, at: createdAt }))
}

/** Sequence of the newest event; 0 before the first. */
export const newestSequence = async (db: Reader): Promise<number> => (await readCursor(db, EVENT_COUNTER)) ?? 0

/** How far it is; undefined when there is none of the name. */
export const readCursor = async (db: Reader, name: string): Promise<number | undefined> => {
  const { eventCursors } = db.t
  const prepared = db.prepare('events_cursor', (q) =>
    q
      .select()
      .from(eventCursors)
      .where(eq(eventCursors.name, sql.placeholder('name'))),
  )
  const [row] = await prepared.execute({ name })
  return row?.sequence
}
