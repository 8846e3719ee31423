import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HandRunner, makeHandRunner } from '../../../test/harness/hand-runner.ts'
import { type RunApi, makeRunApi } from '../../../test/harness/runs.ts'
import { packLog } from './pack-log.ts'

let api: RunApi
let hand: HandRunner

beforeAll(async () => {
  api = await makeRunApi()
  hand = makeHandRunner(api)
})
afterAll(() => api.drop())

type Phase = { runId: string; planId: string }

const planning = async (): Promise<Phase> => {
  const { id } = await api.newWorkspace()
  await api.configured(id)
  const runId = await api.newRun(id)
  await hand.begin(runId, 'plan')
  const linkage = (await api.run(runId)).relationships['plan']?.data
  return { runId, planId: linkage === null || linkage === undefined || Array.isArray(linkage) ? '' : linkage.id }
}
const read = (planId: string, offset: number, limit: number): Promise<Buffer> => api.runs.readLog(planId, offset, limit)
const chunksLeft = (planId: string): Promise<number> => api.db.$count(api.db.t.logChunks, eq(api.db.t.logChunks.phaseId, planId))

/** The log as a client reads it that asks for `limits` bytes in turn, until nothing comes. */
const readAll = async (planId: string, limits: readonly number[]): Promise<Buffer> => {
  const parts: Buffer[] = []
  let offset = 0
  for (let turn = 0; ; turn++) {
    const part = await read(planId, offset, limits[turn % limits.length] ?? 1)
    if (part.length === 0) return Buffer.concat(parts)
    parts.push(part)
    offset += part.length
  }
}

describe('the log of a phase', () => {
  it('is there from the start: a first byte, and no last one before the end', async () => {
    const { runId, planId } = await planning()
    expect(await read(planId, 0, 100)).toEqual(Buffer.from('\u0002'))
    expect(await read(planId, 1, 100)).toEqual(Buffer.alloc(0))
    await hand.log(runId, 'plan', 'abc')
    expect((await read(planId, 0, 100)).toString()).toBe('\u0002abc')
    expect((await read(planId, 2, 1)).toString()).toBe('b')
    await hand.end(runId, 'plan', 'fail')
    expect((await read(planId, 3, 100)).toString()).toBe('c\u0003')
    expect((await read(planId, 4, 100)).toString()).toBe('\u0003')
    expect(await read(planId, 5, 100)).toEqual(Buffer.alloc(0))
    expect(await read(planId, 5_000_000, 100)).toEqual(Buffer.alloc(0))
    expect(await read(planId, 0, 0)).toEqual(Buffer.alloc(0))
  })

  it('of a run that ended before is empty, and ended', async () => {
    const { runId, planId } = await planning()
    await hand.end(runId, 'plan', 'phase-canceled')
    expect((await read(planId, 0, 100)).toString()).toBe('\u0002\u0003')
    await packLog(api.runDeps, planId)
    expect((await read(planId, 0, 100)).toString()).toBe('\u0002\u0003')
  })

  it('does not exist for an unknown id', async () => {
    await expect(read('plan-1111111111111111', 0, 100)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('reads the same in any pieces, before and after it is packed', async () => {
    const texts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 90 })
    const limits = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 })
    const offsets = fc.array(fc.tuple(fc.nat(1500), fc.nat(300)), { maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(texts, limits, offsets, async (written, sizes, places) => {
        const { runId, planId } = await planning()
        const text = Buffer.concat(written)
        for (const part of written) await hand.log(runId, 'plan', Buffer.from(part))
        expect(await readAll(planId, sizes)).toEqual(Buffer.concat([Buffer.of(2), text]))
        await hand.end(runId, 'plan', 'fail')

        const framed = Buffer.concat([Buffer.of(2), text, Buffer.of(3)])
        const check = async (): Promise<void> => {
          expect(await readAll(planId, sizes)).toEqual(framed)
          for (const [offset, limit] of places) expect(await read(planId, offset, limit)).toEqual(framed.subarray(offset, offset + limit))
        }
        await check()
        await packLog(api.runDeps, planId)
        expect(await chunksLeft(planId)).toBe(0)
        await check()
      }),
      { numRuns: 12 },
    )
  })

  it('of many small pieces is read in one go', async () => {
    const { runId, planId } = await planning()
    const { db } = api
    await db.transaction(async (tx) => {
      const rows = Array.from({ length: 12_000 }, (_, offset) => ({ phaseId: planId, offset, bytes: Buffer.from('x') }))
      for (let at = 0; at < rows.length; at += 1000) await tx.insert(tx.t.logChunks).values(rows.slice(at, at + 1000))
      await tx.update(tx.t.phases).set({ logBytes: rows.length }).where(eq(tx.t.phases.id, planId))
    })
    expect((await read(planId, 0, 1_000_000)).toString()).toBe(`\u0002${'x'.repeat(12_000)}`)
    await hand.end(runId, 'plan', 'fail')
  })

  it('answers at most a mebibyte at once', async () => {
    const { runId, planId } = await planning()
    const text = Buffer.alloc(3 * 1024 * 1024, 'y')
    await hand.log(runId, 'plan', text)
    expect(await read(planId, 0, 10_000_000)).toHaveLength(1024 * 1024)
    await hand.end(runId, 'plan', 'fail')
    expect((await readAll(planId, [10_000_000])).length).toBe(text.length + 2)
  })
})

describe('packing', () => {
  it('leaves a log alone that may still grow', async () => {
    const { runId, planId } = await planning()
    await hand.log(runId, 'plan', 'abc')
    await packLog(api.runDeps, planId)
    expect(await chunksLeft(planId)).toBe(1)
    await hand.end(runId, 'plan', 'fail')
  })

  it('can be repeated, and goes on beside readers', async () => {
    const { runId, planId } = await planning()
    for (let part = 0; part < 200; part++) await hand.log(runId, 'plan', `line ${part}\n`)
    await hand.end(runId, 'plan', 'fail')
    const whole = await read(planId, 0, 1_000_000)
    const readers = Promise.all(Array.from({ length: 20 }, (_, index) => readAll(planId, [index * 7 + 50])))
    await Promise.all([api.runs.packLogs(runId), api.runs.packLogs(runId), api.runs.packLogs(runId)])
    for (const text of await readers) expect(text).toEqual(whole)
    expect(await chunksLeft(planId)).toBe(0)
    await api.runs.packLogs(runId)
    expect(await read(planId, 0, 1_000_000)).toEqual(whole)
  })
})
