import { Readable } from 'node:stream'
import type { UiDeps } from '../deps.ts'
import { type Route, getPage } from '../http/route.ts'
import { parsePosition } from './events/log-position.ts'
import { runEvents } from './events/run-events.ts'

type ResponseBody = ConstructorParameters<typeof Response>[0]

/** The run as server-sent events. `Last-Event-ID` is where the log goes on after a cut. */
export const runEventRoute = (deps: Pick<UiDeps, 'runs' | 'outbox'>): Route =>
  getPage('/app/_events/runs/:run', async ({ ctx, params, header, renew }) => {
    const runId = params['run'] ?? ''
    // Refused before the stream begins, with a status.
    await deps.runs.getRun(ctx, runId)
    const events = runEvents(deps, { runId, from: parsePosition(header('last-event-id')), signal: ctx.signal, renew })
    const headers = {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    }
    // safe because the web streams of Node.js are what its Response takes
    return { kind: 'raw', response: new Response(Readable.toWeb(Readable.from(events)) as ResponseBody, { headers }) }
  })
