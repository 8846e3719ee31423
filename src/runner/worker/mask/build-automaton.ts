export type Automaton = {
  /** State after one more byte; the start is 0. */
  next(state: number, byte: number): number
  /** Bytes of the longest suffix read so far that begins a pattern. */
  depth(state: number): number
  /** Bytes of the longest pattern that ends here; 0 for none. */
  matched(state: number): number
}

/**
 * Aho-Corasick over bytes (Aho and Corasick, 1975). Edges are sparse, because secrets may be long; only the root is a
 * table, and that is where ordinary output spends its time.
 */
export const buildAutomaton = (patterns: readonly Buffer[]): Automaton => {
  const edges = new Map<number, number>()
  const fail = [0]
  const depth = [0]
  const matched = [0]
  const children: [number, number][][] = [[]]

  for (const pattern of patterns) {
    let state = 0
    for (const byte of pattern) {
      const key = state * 256 + byte
      let child = edges.get(key)
      if (child === undefined) {
        child = depth.length
        edges.set(key, child)
        children[state]?.push([byte, child])
        children.push([])
        depth.push((depth[state] ?? 0) + 1)
        matched.push(0)
        fail.push(0)
      }
      state = child
    }
    if (state !== 0) matched[state] = pattern.length
  }

  const root = new Int32Array(256)
  for (const [byte, child] of children[0] ?? []) root[byte] = child

  const next = (from: number, byte: number): number => {
    for (let state = from; state !== 0; state = fail[state] ?? 0) {
      const child = edges.get(state * 256 + byte)
      if (child !== undefined) return child
    }
    return root[byte] ?? 0
  }

  // Breadth first: the failure of a state is shallower than the state.
  const queue = (children[0] ?? []).map(([, child]) => child)
  for (const state of queue) {
    for (const [byte, child] of children[state] ?? []) {
      fail[child] = next(fail[state] ?? 0, byte)
      queue.push(child)
    }
    if (matched[state] === 0) matched[state] = matched[fail[state] ?? 0] ?? 0
  }

  return { next, depth: (state) => depth[state] ?? 0, matched: (state) => matched[state] ?? 0 }
}
