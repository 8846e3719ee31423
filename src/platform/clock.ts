/** Source of time, injected so that tests decide what time it is. */
export type Clock = { now(): Date; monotonicMs(): number }

export const systemClock: Clock = {
  now: () => new Date(),
  // `performance` is loaded when it is first used, which takes a new worker milliseconds.
  monotonicMs: () => Number(process.hrtime.bigint()) / 1e6,
}

/** UTC, RFC 3339 with milliseconds and a literal `Z`: the only form go-tfe decodes outside `status-timestamps`. */
export const isoTime = (at: Date): string => at.toISOString()

/** UTC, RFC 3339, whole seconds and a numeric offset: the form inside `status-timestamps`. */
export const stampTime = (at: Date): string => `${at.toISOString().slice(0, 19)}+00:00`
