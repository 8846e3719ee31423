import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testCtx } from '../../../../test/harness/api.ts'
import { type HandRunner, makeHandRunner } from '../../../../test/harness/hand-runner.ts'
import { type RunApi, makeRunApi } from '../../../../test/harness/runs.ts'
import { runEvents } from './run-events.ts'

let api: RunApi
let hand: HandRunner

beforeAll(async () => {
  api = await makeRunApi()
  await api.outbox.start()
  hand = makeHandRunner(api)
})
afterAll(() => api.drop())

/** A run whose plan is under way, and the events of its page. */
const watched = async ({ from = { plan: 0, apply: 0 } } = {}) => {
  const { id } = await api.newWorkspace()
  await api.configured(id)
  const runId = await api.newRun(id)
  await hand.begin(runId, 'plan')
  const stop = new AbortController()
  const session: { isOpen: boolean } = { isOpen: true }
  const ctx = testCtx({ kind: 'system', name: 'test' })
  const renew = async () => (session.isOpen ? ctx : undefined)
  const events = runEvents(api, { runId, from, signal: stop.signal, renew })
  const next = async (): Promise<string> => {
    const { value, done } = await events.next()
    return done === true ? 'over' : value
  }
  return { runId, next, session, stop: () => stop.abort() }
}

const logEvent = (position: string, text: string): string =>
  `id: ${position}\nevent: log\ndata: ${JSON.stringify({ phase: 'plan', text })}\n\n`

describe('the events of a run', () => {
  it('bring its log as it is written, and its end', async () => {
    const { runId, next } = await watched()
    expect(await next()).toBe('retry: 1000\n\n')
    expect(await next()).toMatch(/^event: run\ndata: \{"version":\d+\}\n\n$/)
    const waiting = next()
    const writtenMs = performance.now()
    await hand.log(runId, 'plan', 'one\n')
    expect(await waiting).toBe(logEvent('4.0', 'one\n'))
    // Pushed: without word of it, the page looks after 15 s only.
    expect(performance.now() - writtenMs).toBeLessThan(5000)
    await hand.log(runId, 'plan', 'two\n')
    await hand.log(runId, 'plan', 'three\n')
    expect(await next()).toBe(logEvent('14.0', 'two\nthree\n'))
    await hand.end(runId, 'plan', 'fail')
    expect(await next()).toMatch(/^event: run\n/)
    expect(await next()).toBe('event: end\ndata: {}\n\n')
    expect(await next()).toBe('over')
  })

  it('go on where the page was, and bring a character whole', async () => {
    const { runId, next, stop } = await watched({ from: { plan: 2, apply: 0 } })
    await hand.log(runId, 'plan', Buffer.concat([Buffer.from('ab'), Buffer.from('é').subarray(0, 1)]))
    await next()
    expect(await next()).toMatch(/^event: run\n/)
    const waiting = next()
    await hand.log(runId, 'plan', Buffer.from('é').subarray(1))
    expect(await waiting).toBe(logEvent('4.0', 'é'))
    stop()
    expect(await next()).toBe('over')
  })

  it('end with the session', async () => {
    const { runId, next, session } = await watched()
    await next()
    await next()
    session.isOpen = false
    await hand.end(runId, 'plan', 'fail')
    expect(await next()).toBe('over')
  })
})
