import type { Ctx } from '../../../platform/context.ts'
import { type LogWatch, type PhaseRow, type RunRow, isFinal, isPhaseFinal } from '../../../runs/index.ts'
import type { UiDeps } from '../../deps.ts'
import { formatPosition, type LogPosition } from './log-position.ts'
import { makeWaker } from './make-waker.ts'
import { wholeCharacters } from './whole-characters.ts'

const CHUNK_BYTES = 64 * 1024
const PING_MS = 15_000
/** While a log flows, the session and the run are looked at again this often at least. */
const RENEW_MS = 1000
/** A log that another replica may write to is looked at this often while it grows. */
const GROWING_MS = 150

type Deps = Pick<UiDeps, 'runs' | 'outbox'>
type Options = {
  runId: string
  from: LogPosition
  signal: AbortSignal
  /** The session once more; undefined ends the stream. */ renew: () => Promise<Ctx | undefined>
}

/**
 * A run as server-sent events, until it is over: `log` (JSON `{phase, text}`) with the position after it as id, `run` (JSON `{version}`)
 * at first and whenever the run has changed, `end`. Log comes before the change that follows it. Comments keep proxies from closing it.
 */
export const runEvents = async function* ({ runs, outbox }: Deps, { runId, from, signal, renew }: Options): AsyncGenerator<string> {
  const position = { ...from }
  const waker = makeWaker(signal)
  let hasChanged = false
  const forget = outbox.listen((event) => {
    if (event.subject !== runId) return
    hasChanged = true
    waker.wake()
  })
  let watches: LogWatch[] = []
  let seen: { ctx: Ctx; run: RunRow; atMs: number } | undefined
  let sentVersion = -1
  let spokeMs = performance.now()
  /** Logs that may still bring something. */
  const open = new Set<PhaseRow['kind']>(['plan', 'apply'])
  try {
    yield 'retry: 1000\n\n'
    while (!signal.aborted) {
      if (seen === undefined || hasChanged || performance.now() - seen.atMs > RENEW_MS) {
        hasChanged = false
        const ctx = await renew()
        if (ctx === undefined) return
        seen = { ctx, run: (await runs.getRun(ctx, runId)).run, atMs: performance.now() }
      }
      const { ctx, run } = seen
      if (watches.length === 0) watches = [run.planId, run.applyId].map((phaseId) => runs.watchLog(phaseId, waker.wake))
      let isGrowing = false
      for (const kind of open) {
        const { phase } = await runs.getPhase(ctx, kind, kind === 'plan' ? run.planId : run.applyId)
        isGrowing ||= phase.status === 'running' || phase.status === 'queued'
        for await (const text of newText(runs, phase, position)) {
          spokeMs = performance.now()
          yield `id: ${formatPosition(position)}\nevent: log\ndata: ${JSON.stringify({ phase: kind, text })}\n\n`
        }
        if (isPhaseFinal(phase.status)) open.delete(kind)
      }
      if (run.version !== sentVersion) yield `event: run\ndata: ${JSON.stringify({ version: run.version })}\n\n`
      sentVersion = run.version
      if (isFinal(run.status)) {
        yield 'event: end\ndata: {}\n\n'
        return
      }
      await waker.wait(isGrowing && watches.some(({ isPartial }) => isPartial) ? GROWING_MS : PING_MS)
      if (performance.now() - spokeMs < PING_MS) continue
      spokeMs = performance.now()
      yield ': ping\n\n'
    }
  } finally {
    forget()
    for (const watch of watches) watch.stop()
  }
}

/** What was appended since `position`, which moves along; a character of which only a part is there waits for the rest. */
const newText = async function* (runs: Deps['runs'], phase: PhaseRow, position: LogPosition): AsyncGenerator<string> {
  while (position[phase.kind] < phase.logBytes) {
    const at = position[phase.kind]
    // Offsets of the framed log: the text begins after one marker.
    const bytes = await runs.readLog(phase.id, at + 1, Math.min(CHUNK_BYTES, phase.logBytes - at))
    const isRest = at + bytes.length >= phase.logBytes
    const whole = wholeCharacters(bytes) || (isRest ? 0 : bytes.length)
    if (whole === 0) return
    position[phase.kind] = at + whole
    yield bytes.subarray(0, whole).toString('utf8')
  }
}
