import { eq, sql } from 'drizzle-orm'
import type { Database, Tx } from '../db/database.ts'
import { preparedUpdate } from '../db/prepared-update.ts'
import type { PlatformTables } from '../db/tables.ts'
import type { Log } from '../log.ts'
import { makePoller, type Poller } from '../poller.ts'
import { newestSequence, readCursor, readEvents, type EmittedEvent } from './read-events.ts'

/**
 * A durable reader of all events in order. `handle` works in the transaction that moves its cursor: what it writes (usually: jobs it
 * enqueues) happens exactly once, on one replica. It touches nothing but `tx`. When it throws, the event is tried again until it succeeds.
 */
export type Consumer<T extends PlatformTables> = {
  /** Unique and stable: it names the cursor. A new name begins with the events after its first start. */
  name: string
  handle(tx: Tx<T>, event: EmittedEvent): Promise<void>
}

const BATCH = 50
/** Events come in crowds, and each look is a transaction. */
const REST_MS = 100

/** `prepare` makes the cursor of a new consumer, at `sequence`. */
export const makeConsumer = <T extends PlatformTables>(
  { db, log }: { db: Database<T>; log: Log },
  consumer: Consumer<T>,
): Poller & { prepare(sequence: number): Promise<void> } => {
  const name = `consumer:${consumer.name}`
  let batch = BATCH

  const isBehind = async (): Promise<boolean> => {
    const sequence = await readCursor(db, name)
    return sequence !== undefined && (await newestSequence(db)) > sequence
  }

  const consumeBatch = (limit: number): Promise<number> =>
    db.transaction(
      async (tx) => {
        const { eventCursors } = tx.t
        const prepared = tx.prepare('events_lock_cursor', (q) =>
          tx.forUpdate(
            q
              .select()
              .from(eventCursors)
              .where(eq(eventCursors.name, sql.placeholder('name'))),
            { skipLocked: true },
          ),
        )
        const [cursor] = await prepared.execute({ name })
        // another replica is at it
        if (cursor === undefined) return 0
        const events = await readEvents(tx, cursor.sequence, limit)
        for (const event of events) await consumer.handle(tx, event)
        const last = events.at(-1)
        if (last === undefined) return 0
        await preparedUpdate(tx, 'events_move_cursor', {
          patch: { sequence: last.sequence },
          values: { name },
          build: (q, set) =>
            q
              .update(eventCursors)
              .set(set)
              .where(eq(eventCursors.name, sql.placeholder('name'))),
        })
        return events.length
        // An event is handled again where the cursor falls back; who handles it is made for that.
      },
      { isLazy: true },
    )

  const poller = makePoller({
    name,
    log,
    restMs: REST_MS,
    tick: async () => {
      if (!(await isBehind())) return false
      const size = batch
      // one at a time after a failure, so that the events before the bad one get through
      batch = 1
      const consumed = await consumeBatch(size)
      batch = BATCH
      return consumed === size
    },
  })

  return {
    ...poller,
    prepare: (sequence) =>
      db.transaction(async (tx) => {
        await tx.insert(tx.t.eventCursors).values({ name, sequence }).onConflictDoNothing()
      }),
  }
}
