import { and, eq } from 'drizzle-orm'
import type { Clock } from './clock.ts'
import type { Database } from './db/database.ts'
import type { PlatformTables } from './db/tables.ts'

/** How far the clocks of replicas may differ: a lease of another owner counts as held for so long after its end. */
export const CLOCK_MARGIN_MS = 5000

/** `epoch` rises with every change of the owner: writes that carry it can be refused when it is no longer the newest. */
export type Lease = { epoch: number }

export type Leases = {
  /** Takes the lease, or extends it where it is ours. undefined: another process has it. */
  acquire(name: string, ttlMs: number): Promise<Lease | undefined>
  /** Extends a lease of ours. False when another owner has taken it: stop at once. */
  renew(name: string, ttlMs: number): Promise<boolean>
  /** Lets the next owner in at once. Idempotent. */
  release(name: string): Promise<void>
}

const RELEASED = ''

/** Named leases in the database: one owner at a time. `owner` is unique to this start of the process. Times come from `clock`. */
export const makeLeases = ({ db, clock, owner }: { db: Database<PlatformTables>; clock: Clock; owner: string }): Leases => {
  const untilOf = (ttlMs: number): Date => new Date(clock.now().getTime() + ttlMs)

  return {
    acquire: (name, ttlMs) =>
      db.transaction(async (tx) => {
        const { leases } = tx.t
        const until = untilOf(ttlMs)
        const [held] = await tx.forUpdate(tx.select().from(leases).where(eq(leases.name, name)))
        if (held === undefined) {
          const [made] = await tx.insert(leases).values({ name, owner, until, epoch: 1 }).onConflictDoNothing().returning()
          return made === undefined ? undefined : { epoch: made.epoch }
        }
        const isFree = held.owner === RELEASED || held.until.getTime() + CLOCK_MARGIN_MS <= clock.now().getTime()
        if (held.owner !== owner && !isFree) return undefined
        const epoch = held.owner === owner ? held.epoch : held.epoch + 1
        await tx.update(leases).set({ owner, until, epoch }).where(eq(leases.name, name))
        return { epoch }
      }),
    renew: (name, ttlMs) =>
      db.transaction(async (tx) => {
        const { leases } = tx.t
        const mine = and(eq(leases.name, name), eq(leases.owner, owner))
        const renewed = await tx
          .update(leases)
          .set({ until: untilOf(ttlMs) })
          .where(mine)
          .returning({ name: leases.name })
        return renewed.length > 0
      }),
    release: (name) =>
      db.transaction(async (tx) => {
        const { leases } = tx.t
        const mine = and(eq(leases.name, name), eq(leases.owner, owner))
        await tx.update(leases).set({ owner: RELEASED }).where(mine)
      }),
  }
}
