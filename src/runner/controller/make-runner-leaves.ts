import type { Leaf } from '../pki/sign-leaf.ts'

/** More than the phases at work; the oldest of those that nobody came for goes. */
const MAX_EXPECTED = 64

/** Leaves of runners; one that is expected is issued while the engine works, when the controller has nothing to do. */
export const makeRunnerLeaves = (issue: (uri: string, authority: string | undefined) => Promise<Leaf>) => {
  const expected = new Map<string, Promise<Leaf>>()
  return {
    expect: (uri: string, authority: string | undefined): void => {
      const leaf = issue(uri, authority)
      leaf.catch(() => expected.delete(uri))
      expected.set(uri, leaf)
      const [oldest] = expected.keys()
      if (expected.size > MAX_EXPECTED && oldest !== undefined) expected.delete(oldest)
    },
    /** The caller's alone from then on. */
    take: (uri: string, authority: string | undefined): Promise<Leaf> => {
      const leaf = expected.get(uri) ?? issue(uri, authority)
      expected.delete(uri)
      return leaf
    },
  }
}
