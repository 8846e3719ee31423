import { appendFile, mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitFor } from '../../../../test/harness/wait-for.ts'
import type { StateSnapshot } from '../../gen/runner/v1/runner.ts'
import { CHUNK_BYTES } from '../../runner.ts'
import { makeStateOutbox, type StateOutbox } from './make-state-outbox.ts'
import { makeStateWatcher, type StateWatcher } from './make-state-watcher.ts'
import { parseState } from './parse-state.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'state-'))
  await mkdir(join(root, 'state'))
  await mkdir(join(root, 'journal'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

const stateOf = (serial: number, lineage = 'l', filler = ''): string =>
  JSON.stringify({ version: 4, serial, lineage, resources: [], filler })

describe('a state file', () => {
  it('is only accepted whole', () => {
    const whole = `${stateOf(3, 'abc', '}')}\n`
    expect(parseState(whole)).toEqual({ lineage: 'abc', serial: 3 })
    for (let length = 0; length < whole.length - 1; length++) expect(parseState(whole.slice(0, length))).toBeUndefined()
    expect(parseState('{}')).toBeUndefined()
    expect(parseState('{"serial":"1","lineage":"x"}')).toBeUndefined()
  })
})

describe('the watcher', () => {
  let seen: number[]
  let foreign: string[]
  let watcher: StateWatcher | undefined
  const file = (): string => join(root, 'state/terraform.tfstate')
  const watch = (baseline?: { lineage: string; serial: number }): StateWatcher => {
    seen = []
    foreign = []
    watcher = makeStateWatcher({
      file: file(),
      erroredFile: join(root, 'errored.tfstate'),
      isolation: undefined,
      baseline,
      onState: async (_state, { serial }) => void seen.push(serial),
      onForeign: (text) => foreign.push(text),
    })
    return watcher
  }
  afterEach(async () => watcher?.finish())

  it('reports each new serial once, and never half a file', async () => {
    await writeFile(file(), stateOf(1))
    watch({ lineage: 'l', serial: 1 })
    for (const serial of [2, 3, 4]) {
      const text = stateOf(serial, 'l', 'x'.repeat(300_000))
      await truncate(file(), 0)
      await appendFile(file(), text.slice(0, 150_000))
      await appendFile(file(), text.slice(150_000))
      await waitFor(() => seen.includes(serial))
    }
    await watcher?.finish()
    expect(seen).toEqual([2, 3, 4])
    expect(foreign).toEqual([])
  })

  it('takes the last state at the end, whatever the watch missed', async () => {
    watch()
    await writeFile(file(), stateOf(1))
    await watcher?.finish()
    expect(seen).toEqual([1])
  })

  it('prefers errored.tfstate when it is newer', async () => {
    watch()
    await writeFile(file(), stateOf(4))
    await writeFile(join(root, 'errored.tfstate'), stateOf(5))
    await watcher?.finish()
    expect(seen).toEqual([4, 5])
  })

  it('refuses another lineage and an older serial', async () => {
    watch({ lineage: 'l', serial: 5 })
    await writeFile(file(), stateOf(9, 'other'))
    await waitFor(() => foreign.length > 0)
    await writeFile(file(), stateOf(4))
    await watcher?.finish()
    expect(seen).toEqual([])
    expect(foreign).toEqual(['The state file changed its lineage during the apply; it is not taken.'])
  })
})

describe('the outbox', () => {
  const fill = async (outbox: StateOutbox, from: number, to: number): Promise<void> => {
    for (let serial = from; serial <= to; serial++) await outbox.add(Buffer.from(stateOf(serial)), { lineage: 'l', serial })
  }

  it('sends large states in chunks and forgets what is acknowledged, on disk too', async () => {
    const outbox = makeStateOutbox(join(root, 'journal'))
    const state = Buffer.from(stateOf(1, 'l', 'x'.repeat(2 * CHUNK_BYTES)))
    await outbox.add(state, { lineage: 'l', serial: 1 })
    outbox.finish()
    const received: StateSnapshot[] = []
    for await (const snapshot of outbox.stream(() => true)) {
      received.push(snapshot)
      if (snapshot.last) outbox.ack(snapshot.seq)
    }
    expect(received.map(({ seq, last, final }) => [seq, last, final])).toEqual([
      [1, false, false],
      [1, false, false],
      [1, true, false],
      [2, true, true],
    ])
    expect(Buffer.concat(received.map(({ bytes }) => bytes)).equals(state)).toBe(true)
    await waitFor(async () => (await readdir(join(root, 'journal'))).length === 0)
    expect(outbox.unacked).toBe(0)
  })

  it('leaves out older states when nobody takes them, never the newest', async () => {
    const outbox = makeStateOutbox(join(root, 'journal'))
    await fill(outbox, 1, 40)
    outbox.finish()
    const serials: number[] = []
    for await (const { seq, serial, bytes } of outbox.stream(() => true)) {
      if (bytes.length > 0) serials.push(serial)
      outbox.ack(seq)
    }
    expect(serials).toEqual(Array.from({ length: 16 }, (_, at) => at + 25))
  })

  it('keeps a state in memory when the journal cannot be written', async () => {
    const outbox = makeStateOutbox(join(root, 'absent'))
    await fill(outbox, 1, 1)
    const { value } = await outbox.stream(() => true).next()
    expect((value as StateSnapshot).bytes.toString()).toBe(stateOf(1))
  })
})
