import { describe, expect, it } from 'vitest'
import { serverOfTest, type TestServer } from '../harness/terrane-server.ts'
import { crashedApply } from './crashed-apply.ts'
import { expectNothingLeft } from './expect-nothing-left.ts'
import { makeRandom } from './random-source.ts'

const APPLIES = Number(process.env['CHAOS_APPLIES'] ?? 10)
const SEED = Number(process.env['CHAOS_SEED'] ?? 20_260_731)

const count = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1)
const listed = (counts: Map<string, number>): string => [...counts].map(([key, times]) => `${times} ${key}`).join(', ')

/** Goes on after a fault, so that a long run finds more than one. */
const crashApplies = async (servers: readonly [TestServer, ...TestServer[]], awayMs: number): Promise<void> => {
  const [hits, ends, faults] = [new Map<string, number>(), new Map<string, number>(), [] as string[]]
  const begin = performance.now()
  for (let apply = 0; apply < APPLIES; apply++) {
    const [seed, told] = [SEED + apply, [] as string[]]
    const notes = {
      hit: (victim: string, status: string) => {
        count(hits, victim)
        told.push(`${victim} (${status} then)`)
      },
      ended: (status: string) => {
        count(ends, status)
        told.push(status)
      },
      note: (text: string) => void told.push(text),
    }
    await crashedApply({ servers, name: `w${apply}`, random: makeRandom(seed), awayMs, notes }).catch((error: unknown) => {
      faults.push(`seed ${seed}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      told.push('FAULT')
    })
    console.log(`${Math.round((performance.now() - begin) / 1000)} s, seed ${seed}: ${told.join('; ')}`)
  }
  console.log(
    `${APPLIES} applies from seed ${SEED} on ${servers.length} server(s) in ${Math.round((performance.now() - begin) / 1000)} s: ` +
      `hit ${listed(hits)}; ended ${listed(ends)}; faults: ${faults.length}`,
  )
  expect(faults).toEqual([])
}

describe(`crashes at random lose nothing and repeat nothing: ${APPLIES} applies, CHAOS_SEED=${SEED}`, () => {
  it('one server', { timeout: APPLIES * 60_000 }, async () => {
    const server = await serverOfTest()
    await crashApplies([server], 1500)
    // A worker that was bound when its server died, and not yet on record, ends by itself.
    await expectNothingLeft([server], { timeoutMs: 130_000 })
  })

  it('two servers on one PostgreSQL', { timeout: APPLIES * 90_000 }, async () => {
    const args = ['--lease-seconds', '4']
    const first = await serverOfTest({ postgres: process.env['TERRANE_CHAOS_DATABASE_URL'] ?? '', args })
    const second = await serverOfTest({ beside: first, args })
    // Long enough for the other one to take over.
    await crashApplies([first, second], 8000)
    await expectNothingLeft([first, second], { timeoutMs: 200_000 })
  })
})
