import { eq, sql } from 'drizzle-orm'
import type { Tx } from '../db/database.ts'
import type { PlatformTables } from '../db/tables.ts'
import { newId } from '../ids.ts'

/** What happened, for everyone who listens: ids, versions and small scalars; never names, values or secrets. */
export type DomainEvent = {
  /** Past tense, `run.applied`. */
  type: string
  /** Id of the thing it happened to. */
  subject: string
  organizationId?: string
  version?: number
  payload?: Record<string, string | number | boolean | null>
}

/** PostgreSQL channel that tells the other replicas. */
export const EVENT_CHANNEL = 'terrane_events'

/** Row of `event_cursors` that counts events. */
export const EVENT_COUNTER = 'events'

const nextSequence = async (tx: Tx<PlatformTables>): Promise<number | undefined> => {
  const { eventCursors } = tx.t
  const notified = tx.dialect === 'postgres' ? sql`pg_notify(${EVENT_CHANNEL}, '')` : sql`NULL`
  const prepared = tx.prepare('events_count_up', (q) =>
    q
      .update(eventCursors)
      .set({ sequence: sql`${eventCursors.sequence} + 1` })
      .where(eq(eventCursors.name, EVENT_COUNTER))
      .returning({ sequence: eventCursors.sequence, notified }),
  )
  const [row] = await prepared.execute()
  return row?.sequence
}

/**
 * Writes the event in the transaction of the change. The counter row stays locked until the commit, so that the order of sequences is
 * the order of commits and readers never meet a gap; emit late in the transaction.
 */
export const emitEvent = async (tx: Tx<PlatformTables>, event: DomainEvent, at: Date): Promise<void> => {
  const { eventCursors, events } = tx.t
  let sequence = await nextSequence(tx)
  if (sequence === undefined) {
    await tx.insert(eventCursors).values({ name: EVENT_COUNTER, sequence: 0 }).onConflictDoNothing()
    sequence = await nextSequence(tx)
  }
  if (sequence === undefined) throw new Error('the event counter is missing')
  const prepared = tx.prepare('events_insert', (q) =>
    q.insert(events).values({
      id: sql.placeholder('id'),
      sequence: sql.placeholder('sequence'),
      type: sql.placeholder('type'),
      organizationId: sql.placeholder('organizationId'),
      subject: sql.placeholder('subject'),
      version: sql.placeholder('version'),
      payload: sql.placeholder('payload'),
      createdAt: sql.placeholder('createdAt'),
    }),
  )
  await prepared.execute({
    id: newId('evt'),
    sequence,
    type: event.type,
    organizationId: event.organizationId ?? null,
    subject: event.subject,
    version: event.version ?? 0,
    payload: event.payload ?? {},
    createdAt: at,
  })
}
