import type { Automaton } from './build-automaton.ts'

const MASK = Buffer.from('***')

export type MaskStream = {
  /** What can be said for sure after these bytes: only what may be the beginning of a secret is held back. */
  write(chunk: Buffer): Buffer
  /** The rest. */
  end(): Buffer
}

/** Replaces every stretch of bytes that matches, however the input is cut, by one `***`; stretches that overlap or touch are one. */
export const makeMaskStream = (automaton: Automaton): MaskStream => {
  let state = 0
  let position = 0
  let held: Buffer = Buffer.alloc(0)
  /** Stretches to hide, in order, none touching another; offsets count from the start of the stream. */
  let spans: { start: number; end: number }[] = []
  let maskedTo = -1

  const hide = (start: number): void => {
    let from = start
    for (let last = spans.at(-1); last !== undefined && last.end >= from; last = spans.at(-1)) {
      from = Math.min(from, last.start)
      spans.pop()
    }
    spans.push({ start: from, end: position })
  }

  const settle = (safe: number): Buffer => {
    const base = position - held.length
    const out: Buffer[] = []
    let at = base
    let done = 0
    for (const span of spans) {
      if (span.start >= safe) break
      out.push(held.subarray(at - base, span.start - base))
      if (span.start > maskedTo) out.push(MASK)
      maskedTo = span.end
      at = Math.min(span.end, safe)
      if (span.end > safe) span.start = safe
      else done += 1
    }
    if (done > 0) spans = spans.slice(done)
    out.push(held.subarray(at - base, safe - base))
    held = held.subarray(safe - base)
    return Buffer.concat(out)
  }

  return {
    write(chunk) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      for (const byte of chunk) {
        state = automaton.next(state, byte)
        position += 1
        const bytes = automaton.matched(state)
        if (bytes > 0) hide(position - bytes)
      }
      return settle(position - automaton.depth(state))
    },
    end() {
      state = 0
      return settle(position)
    },
  }
}
