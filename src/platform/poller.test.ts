import { describe, expect, it } from 'vitest'
import { waitFor } from '../../test/harness/wait-for.ts'
import { silentLog } from './log.ts'
import { makePoller } from './poller.ts'

describe('a poller that rests', () => {
  it('ticks at once after a quiet time, then serves all that wake it meanwhile together, and forgets none', async () => {
    const ticks: number[] = []
    let work = 0
    let done = 0
    const poller = makePoller({
      name: 'test',
      log: silentLog,
      restMs: 200,
      intervalMs: 60_000,
      tick: async () => {
        ticks.push(performance.now())
        done = work
        return false
      },
    })
    poller.start()
    await waitFor(() => ticks.length === 1)
    for (let count = 0; count < 50; count++) {
      work += 1
      poller.wake()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await waitFor(() => done === 50)
    expect(ticks.length).toBeLessThan(10)
    const gaps = ticks.slice(1).map((at, index) => at - (ticks[index] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThan(190)
    await poller.stop()
  })

  it('goes on at once while there is more, whoever wakes it', async () => {
    let ticks = 0
    const poller = makePoller({
      name: 'test',
      log: silentLog,
      restMs: 60_000,
      intervalMs: 60_000,
      tick: async () => {
        ticks += 1
        setImmediate(() => poller.wake())
        return ticks < 20
      },
    })
    poller.start()
    await waitFor(() => ticks === 20)
    await poller.stop()
  })
})
