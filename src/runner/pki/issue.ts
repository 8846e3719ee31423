import { RunnerError } from '../runner.ts'
import type { Ca } from './ca.ts'
import { type Leaf, signLeaf } from './sign-leaf.ts'
import { parseSpiffeUri } from './spiffe.ts'

/** A leaf for one peer: `uri` is its only name. Throws RunnerError `INVALID_ARGUMENT` when `uri` is not one of ours. */
export const issueLeaf = async (ca: Ca, leaf: { uri: string; usage: 'server' | 'client'; lifetimeMs: number }): Promise<Leaf> => {
  if (!parseSpiffeUri(leaf.uri)) throw new RunnerError('INVALID_ARGUMENT', `${JSON.stringify(leaf.uri)} is no name of a peer`)
  return signLeaf(ca, { names: [{ type: 'url', value: leaf.uri }], usage: leaf.usage, lifetimeMs: leaf.lifetimeMs })
}
