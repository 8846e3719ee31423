import type { Clock } from '../clock.ts'
import type { Database, Tx } from '../db/database.ts'
import type { PlatformTables } from '../db/tables.ts'
import { errorMessage } from '../errors.ts'
import type { Log } from '../log.ts'
import { makePoller } from '../poller.ts'
import { makeConsumer, type Consumer } from './consume.ts'
import { emitEvent, type DomainEvent } from './emit.ts'
import { makeEventListener } from './listen.ts'
import { newestSequence, readEvents, type EmittedEvent } from './read-events.ts'

export type Outbox<T extends PlatformTables = PlatformTables> = {
  /** Writes the event with the change it tells of. */
  emit(tx: Tx<PlatformTables>, event: DomainEvent): Promise<void>
  /**
   * Calls `fn` with every event committed after `start`, by this process or another replica, in order: a wake-up, after which one reads
   * the database. `fn` must be quick and not throw. Returns the way to stop.
   */
  listen(fn: (event: EmittedEvent) => void): () => void
  /** Adds a durable consumer; before `start` only. */
  consume(consumer: Consumer<T>): void
  start(): Promise<void>
  /** Resolves when all handlers have ended. */
  stop(): Promise<void>
}

type Deps<T> = {
  db: Database<T>
  clock: Clock
  log: Log
  /** PostgreSQL: hears of the events of other replicas at once, else within a second. */
  databaseUrl?: string | undefined
}

const BATCH = 500

/** Events written in the transaction of the change and given out after its commit. */
export const makeOutbox = <T extends PlatformTables>({ db, clock, log, databaseUrl }: Deps<T>): Outbox<T> => {
  const listeners = new Set<(event: EmittedEvent) => void>()
  const consumers: ReturnType<typeof makeConsumer<T>>[] = []
  let seen = 0
  let started = false

  const tellListeners = (event: EmittedEvent): void => {
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (error) {
        log.error({ event: event.type, error: errorMessage(error) }, 'event listener failed')
      }
    }
  }

  const tail = makePoller({
    name: 'events',
    log,
    tick: async () => {
      const events = await readEvents(db, seen, BATCH)
      for (const event of events) {
        seen = event.sequence
        tellListeners(event)
      }
      return events.length === BATCH
    },
  })

  const wake = (): void => {
    for (const poller of [tail, ...consumers]) poller.wake()
  }

  const remote = databaseUrl === undefined ? undefined : makeEventListener({ databaseUrl, log, onNotify: wake })

  return {
    emit: async (tx, event) => {
      await emitEvent(tx, event, clock.now())
      tx.afterCommit(wake)
    },
    listen: (fn) => {
      // a wrapper of its own, so that the same function may listen twice
      const listener = (event: EmittedEvent): void => fn(event)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    consume: (consumer) => {
      if (started) throw new Error(`consumer ${consumer.name}: consumers are added before the outbox is started`)
      consumers.push(makeConsumer({ db, log }, consumer))
    },
    start: async () => {
      started = true
      seen = await newestSequence(db)
      for (const consumer of consumers) await consumer.prepare(seen)
      for (const poller of [tail, ...consumers]) poller.start()
      remote?.start()
    },
    stop: async () => {
      await Promise.all([remote?.stop(), tail.stop(), ...consumers.map((consumer) => consumer.stop())])
    },
  }
}
