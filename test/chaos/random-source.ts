/** Numbers that are the same for the same seed (mulberry32). */
export type Random = {
  /** In [from, to). */
  between(from: number, to: number): number
  whole(below: number): number
  pick<T>(values: readonly T[]): T
}

export const makeRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (below: number): number => Math.floor(next() * below)
  return {
    between: (from, to) => from + next() * (to - from),
    whole,
    pick: (values) => {
      const value = values[whole(values.length)]
      if (value === undefined) throw new Error('there is nothing to pick from')
      return value
    },
  }
}
