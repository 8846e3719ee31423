import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../platform/clock.ts'
import { type StepEvent, StepOutcome, StepResult } from '../../gen/runner/v1/runner.ts'
import { makeOperation, type Operation } from './make-operation.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'operation-'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

let serial = 0
const start = (options: { path?: string; logLimitBytes?: number; onWriteError?: (error: Error) => void } = {}): Operation =>
  makeOperation({
    opId: 'op',
    kind: 'plan',
    path: join(root, `${serial++}.events`),
    clock: systemClock,
    logLimitBytes: 1e9,
    onWriteError: (error) => {
      throw error
    },
    ...options,
  })

const all = async (operation: Operation, fromSeq = 0): Promise<StepEvent[]> => {
  const events: StepEvent[] = []
  for await (const event of operation.follow(fromSeq, () => undefined)) events.push(event)
  return events
}
const textOf = (events: StepEvent[]): string =>
  events.map(({ event }) => (event?.$case === 'log' ? event.value.bytes.toString() : '')).join('')
const done = StepResult.create({ outcome: StepOutcome.SUCCEEDED })

describe('an operation', () => {
  it('gives the same events to whoever follows, from the start, in between, late and slowly', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.string({ minLength: 1, maxLength: 200 }), fc.constant(undefined)), { maxLength: 700 }),
        fc.nat(700),
        async (lines, from) => {
          const operation = start()
          const early = all(operation)
          for (const line of lines) {
            if (line === undefined) operation.output.notice('note')
            else await operation.output.log(Buffer.from(line))
          }
          const middle = all(operation, from)
          operation.finish(done)
          const events = await early
          expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1))
          expect(textOf(events)).toBe(lines.map((line) => line ?? '').join(''))
          expect(await middle).toEqual(events.filter(({ seq }) => seq > from))
          expect(await all(operation)).toEqual(events)
          operation.close()
        },
      ),
      { numRuns: 25 },
    )
  })

  it('says a line as soon as it is logged', async () => {
    const operation = start()
    const stream = operation.follow(0, () => undefined)
    const first = stream.next()
    const startedAt = performance.now()
    void operation.output.log(Buffer.from('line\n'))
    expect((await first).value).toMatchObject({ seq: 1, event: { $case: 'log' } })
    expect(performance.now() - startedAt).toBeLessThan(200)
    operation.finish(done)
    operation.close()
  })

  it('cuts a log that is too long, with a line that says so', async () => {
    const operation = start({ logLimitBytes: 10 })
    await operation.output.log(Buffer.from('0123456'))
    await operation.output.log(Buffer.from('789abcdef'))
    await operation.output.log(Buffer.from('more'))
    operation.finish(done)
    const events = await all(operation)
    expect(textOf(events)).toBe('0123456789\n[The log is cut here: this step wrote more than 10 bytes.]\n')
    expect(events.at(-1)?.event).toMatchObject({ value: { logBytes: textOf(events).length } })
    operation.close()
  })

  it('keeps its result when nothing can be written any more, and says so once', async () => {
    const errors: Error[] = []
    const operation = start({ path: join(root, 'absent/x.events'), onWriteError: (error) => errors.push(error) })
    const early = all(operation)
    await operation.output.log(Buffer.from('lost'))
    await operation.output.log(Buffer.from('lost too'))
    operation.output.notice('kept')
    operation.finish(done)
    const events = await early
    expect(events.map(({ event }) => (event?.$case === 'notice' ? event.value.text : event?.$case))).toEqual([
      'From here on the log of this step could not be stored.',
      'kept',
      'result',
    ])
    expect(await all(operation, 2)).toHaveLength(1)
    expect(errors).toHaveLength(1)
    operation.close()
  })

  it('ends a stream whose guard throws', async () => {
    const operation = start()
    await operation.output.log(Buffer.from('x'))
    const stream = operation.follow(0, () => {
      throw new Error('fenced')
    })
    await expect(stream.next()).rejects.toThrow('fenced')
    operation.close()
  })
})
