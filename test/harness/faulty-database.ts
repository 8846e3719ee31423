import type { ControllerDeps } from '../../src/runner/controller/deps.ts'

type Db = ControllerDeps['db']

export type FaultyDatabase = {
  /** For one controller. */
  wrap(inner: Db): Db
  /** Every transaction waits from now on, as that of a process that stands still. */
  hold(): void
  /** Those that waited go on. */
  release(): void
  /** From now on every transaction fails, as that of a process that is gone. */
  cut(): void
  failures(): number
}

/** A database that fails one controller: for a while, for good, or in one of n transactions without a pattern, whose work is rolled back then. */
export const makeFaultyDatabase = ({ oneOf }: { oneOf?: number } = {}): FaultyDatabase => {
  let noise = 4711
  let failures = 0
  let isCut = false
  let held: Promise<void> | undefined
  let open = (): void => undefined
  const fail = (): never => {
    failures += 1
    throw new Error('the database fails by the test')
  }
  return {
    wrap: (inner) => ({
      ...inner,
      transaction: async (fn) => {
        await held
        if (isCut) fail()
        // The generator of C's example: the same faults in every run of the test.
        noise = (noise * 1_103_515_245 + 12_345) % 2_147_483_648
        const isBad = oneOf !== undefined && Math.floor(noise / 65_536) % oneOf === 0
        return inner.transaction(async (tx) => {
          const result = await fn(tx)
          if (isBad) fail()
          return result
        })
      },
    }),
    hold: () => {
      held = new Promise((resolve) => (open = resolve))
    },
    release: () => {
      held = undefined
      open()
    },
    cut: () => {
      isCut = true
    },
    failures: () => failures,
  }
}
