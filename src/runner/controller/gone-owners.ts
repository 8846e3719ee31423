import type { ControllerDeps } from './deps.ts'
import { listOtherOwners } from './queries.ts'

/** A connection may break and come back: nobody is gone who was not seen for so long. */
const GRACE_MS = 1500

/** Other controllers with jobs at work that are gone for good, as far as can be known at once; their leases tell of the rest. */
export const makeGoneOwners = (
  { db, controllerId, presence, clock }: Pick<ControllerDeps, 'db' | 'controllerId' | 'presence' | 'clock'>,
  lookAgain: () => void,
) => {
  const missedSinceMs = new Map<string, number>()
  return async (): Promise<string[]> => {
    if (presence === undefined) return []
    const owners = await listOtherOwners(db, controllerId)
    const missing = owners.length === 0 ? [] : await presence.missing(owners)
    for (const owner of missedSinceMs.keys()) if (!missing.includes(owner)) missedSinceMs.delete(owner)
    const nowMs = clock.monotonicMs()
    for (const owner of missing) {
      if (missedSinceMs.has(owner)) continue
      missedSinceMs.set(owner, nowMs)
      setTimeout(lookAgain, GRACE_MS + 1).unref()
    }
    return missing.filter((owner) => nowMs - (missedSinceMs.get(owner) ?? nowMs) >= GRACE_MS)
  }
}
