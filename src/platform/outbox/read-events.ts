import { asc, eq, gt } from 'drizzle-orm'
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

type Reader = Pick<Database<PlatformTables> | Tx<PlatformTables>, 'select' | 't'>

/** At most `limit` events after `sequence`, oldest first. */
export const readEvents = async (db: Reader, sequence: number, limit: number): Promise<EmittedEvent[]> => {
  const { events } = db.t
  const rows = await db.select().from(events).where(gt(events.sequence, sequence)).orderBy(asc(events.sequence)).limit(limit)
  return rows.map(({ createdAt, organizationId, ...row }) => ({ ...row, organizationId: organizationId ?? undefined, at: createdAt }))
}

/** Sequence of the newest event; 0 before the first. */
export const newestSequence = async (db: Reader): Promise<number> => {
  const { eventCursors } = db.t
  const [row] = await db.select().from(eventCursors).where(eq(eventCursors.name, EVENT_COUNTER))
  return row?.sequence ?? 0
}
