import type { Bind, ConnectedRunner, Placement } from '../../src/runner/controller/placement.ts'
import { type Runner, RunnerError } from '../../src/runner/runner.ts'

type Call = keyof Runner

export type Fault = {
  /** The call that breaks the connection, and after how many messages of its stream; 0: before it reaches the runner. */
  at: Call
  after?: number
  /** How often; for ever by default. */
  times?: number
  /** Whether the runner is found again. */
  isGone?: boolean
}

/** No runner can be had so many times. */
export type NoRunner = { at: 'start'; times: number }

export type FaultyPlacement = Placement & {
  /** Times that the fault has happened. */
  broken(): number
  /** Runners that were started. */
  starts(): number
}

const streams: ReadonlySet<PropertyKey> = new Set<Call>([
  'prepare',
  'init',
  'detectDrift',
  'plan',
  'apply',
  'show',
  'output',
  'providerSchemas',
  'attach',
  'download',
  'stateStream',
])

const lost = (): RunnerError => new RunnerError('UNAVAILABLE', 'the connection is broken by the test')

/** Runners whose connection breaks where a test says so: all calls and streams on it end with UNAVAILABLE, the runner itself works on. */
export const makeFaultyPlacement = (inner: Placement, fault: Fault | NoRunner): FaultyPlacement => {
  const { at, after = 0, times = Infinity, isGone = false }: Omit<Fault, 'at'> & { at: Call | 'start' } = fault
  let broken = 0
  let starts = 0
  const gone = new Set<string>()

  const withFaults = (real: Runner, lose: () => void): Runner => {
    let cut: (() => void) | undefined
    let isCut = false
    const whenCut = new Promise<void>((resolve) => (cut = resolve))
    const breakNow = (): void => {
      broken += 1
      isCut = true
      if (isGone) lose()
      cut?.()
    }
    const isDue = (call: PropertyKey, seen: number): boolean => call === at && seen >= after && broken < times

    const follow = async function* (call: PropertyKey, args: unknown[]): AsyncGenerator {
      // safe because `streams` names the methods that answer streams
      const open = Reflect.get(real, call) as (...args: unknown[]) => AsyncIterable<unknown>
      if (!isCut && isDue(call, 0)) breakNow()
      if (isCut) throw lost()
      const stream = open.apply(real, args)[Symbol.asyncIterator]()
      let seen = 0
      try {
        for (;;) {
          const next = await Promise.race([stream.next(), whenCut])
          if (next === undefined || isCut) throw lost()
          if (next.done === true) return
          seen += 1
          yield next.value
          if (!isCut && isDue(call, seen)) breakNow()
        }
      } finally {
        void stream.return?.()
      }
    }
    return new Proxy(real, {
      get: (target, call) => {
        if (streams.has(call)) return (...args: unknown[]) => follow(call, args)
        return async (...args: unknown[]) => {
          if (!isCut && isDue(call, 0)) breakNow()
          if (isCut) throw lost()
          // safe because every other method answers a promise
          return (Reflect.get(target, call) as (...args: unknown[]) => Promise<unknown>).apply(target, args)
        }
      },
    })
  }
  const connect = (real: ConnectedRunner): ConnectedRunner => ({
    ...real,
    runner: withFaults(real.runner, () => void gone.add(real.ref.instanceId)),
  })

  return {
    ...inner,
    start: async (identity, signal, bind) => {
      starts += 1
      if (at === 'start' && broken < times) {
        broken += 1
        throw new RunnerError('UNAVAILABLE', 'there is no runner by the test')
      }
      const bindOverIt: Bind = (runner, leaf) =>
        bind(
          withFaults(runner, () => undefined),
          leaf,
        )
      return connect(await inner.start(identity, signal, bindOverIt))
    },
    reattach: async (ref, identity, signal) => {
      if (gone.has(ref.instanceId)) throw lost()
      return connect(await inner.reattach(ref, identity, signal))
    },
    rebind: async (planned, identity, leases) => connect(await inner.rebind(planned, identity, leases)),
    broken: () => broken,
    starts: () => starts,
  }
}
