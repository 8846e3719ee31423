export type StopReason = 'canceled' | 'killed' | 'timed-out' | 'orphaned' | 'disk-full'

type Stoppable = { readonly running: boolean; interrupt(): void; kill(): void }

export type Stop = {
  /** Why the phase is to end; the first reason stays, but for a kill after an interrupt. */
  readonly reason: StopReason | undefined
  /** Once, whatever the number of calls; a kill follows after the grace. True when the engine was running. */
  interrupt(reason: Exclude<StopReason, 'killed'>): boolean
  kill(): boolean
  /** No kill comes later. */
  dispose(): void
}

/** Ends a phase: what runs is stopped, what would come next looks at `reason` and does not start. */
export const makeStop = (engine: Stoppable, graceMs: () => number): Stop => {
  let reason: StopReason | undefined
  let timer: NodeJS.Timeout | undefined
  return {
    get reason() {
      return reason
    },
    interrupt(why) {
      const running = engine.running
      if (reason !== undefined) return running
      reason = why
      if (!running) return false
      engine.interrupt()
      timer = setTimeout(() => engine.kill(), graceMs())
      return true
    },
    kill() {
      const running = engine.running
      if (reason === undefined || reason === 'canceled') reason = 'killed'
      if (running) engine.kill()
      return running
    },
    dispose: () => clearTimeout(timer),
  }
}
