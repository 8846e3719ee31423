import { asc, eq, lte, min, ne } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { PlatformTables } from '../db/tables.ts'
import { EVENT_COUNTER } from './emit.ts'

const BATCH = 500

/** Deletes events that were written before `before` and that every durable consumer has seen; how many. */
export const pruneEvents = async (db: Database<PlatformTables>, before: Date, signal: AbortSignal): Promise<number> => {
  const { events } = db.t
  const seen = await seenByAll(db)
  let pruned = 0
  for (;;) {
    signal.throwIfAborted()
    const oldest = await db
      .select({ sequence: events.sequence, createdAt: events.createdAt })
      .from(events)
      .where(lte(events.sequence, seen))
      .orderBy(asc(events.sequence))
      .limit(BATCH)
    const kept = oldest.findIndex(({ createdAt }) => createdAt >= before)
    const old = kept === -1 ? oldest : oldest.slice(0, kept)
    const last = old.at(-1)
    if (last === undefined) return pruned
    await db.transaction((tx) => tx.delete(tx.t.events).where(lte(tx.t.events.sequence, last.sequence)))
    pruned += old.length
    if (kept !== -1) return pruned
  }
}

/** The last sequence that no consumer waits for. */
const seenByAll = async (db: Database<PlatformTables>): Promise<number> => {
  const { eventCursors } = db.t
  const [others] = await db
    .select({ sequence: min(eventCursors.sequence) })
    .from(eventCursors)
    .where(ne(eventCursors.name, EVENT_COUNTER))
  const [counter] = await db.select().from(eventCursors).where(eq(eventCursors.name, EVENT_COUNTER))
  return Number(others?.sequence ?? counter?.sequence ?? 0)
}
