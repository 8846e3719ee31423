import type { Clock } from '../../platform/clock.ts'
import type { Ca } from '../pki/ca.ts'
import { issueLeaf } from '../pki/issue.ts'
import type { Leaf } from '../pki/sign-leaf.ts'

/** So long one leaf serves for new connections. */
const RENEW_MS = 30 * 60_000

/** The controller's own leaf of the authority that signs now; a new one now and then, for each lives `lifetimeMs`. */
export const makeControllerLeaf = ({ uri, lifetimeMs, clock }: { uri: string; lifetimeMs: number; clock: Clock }) => {
  let current: { authority: string; sinceMs: number; leaf: Leaf } | undefined
  return async (ca: Ca): Promise<Leaf> => {
    const nowMs = clock.now().getTime()
    if (current === undefined || current.authority !== ca.fingerprint || Math.abs(nowMs - current.sinceMs) > RENEW_MS)
      current = { authority: ca.fingerprint, sinceMs: nowMs, leaf: await issueLeaf(ca, { uri, usage: 'client', lifetimeMs }) }
    return current.leaf
  }
}
