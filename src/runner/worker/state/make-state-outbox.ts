import { createHash } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { StateSnapshot } from '../../gen/runner/v1/runner.ts'
import { CHUNK_BYTES } from '../../runner.ts'
import { makeChanges } from '../operation/changes.ts'
import type { StateIdentity } from './parse-state.ts'

/** Snapshots on their way that are not acknowledged yet. */
const WINDOW = 4
/** Beyond it the older of those not yet sent are left out: the newer holds all of the older. */
const MAX_WAITING = 16

type Entry = StateIdentity & { seq: number; sha256: string; bytes: number; path: string; memory: Buffer | undefined; final: boolean }

export type StateOutbox = {
  /** Snapshots not yet acknowledged, the final one included. */
  readonly unacked: number
  /** Resolves when every state is acknowledged, or after the time; false then. */
  drained(timeoutMs: number): Promise<boolean>
  /** Puts a complete state on disk, synced, and in the queue. A full disk keeps it in memory. */
  add(state: Buffer, identity: StateIdentity): Promise<void>
  /** No snapshot follows. */
  finish(): void
  ack(seq: number): void
  /** Snapshots after the acknowledged ones, at most four unacknowledged; ends when the final one is acknowledged or `guard` says false. */
  stream(guard: () => boolean): AsyncGenerator<StateSnapshot>
  /** Wakes the streams, so that they look at their guard. */
  wake(): void
}

/** The states of an apply, from the engine's file to the controller's acknowledgement. At least once, in order, none lost. */
export const makeStateOutbox = (journal: string): StateOutbox => {
  const changes = makeChanges()
  let entries: Entry[] = []
  let lastSeq = 0
  let sentTo = 0
  let finalSeq: number | undefined
  let ackedTo = 0
  let latest: StateIdentity = { lineage: '', serial: 0 }

  const nextSeq = (): number => {
    lastSeq += 1
    return lastSeq
  }

  const drop = (gone: Entry[]): void => {
    entries = entries.filter((entry) => !gone.includes(entry))
    for (const entry of gone) void rm(entry.path, { force: true })
  }

  async function* chunksOf(entry: Entry): AsyncGenerator<StateSnapshot> {
    const { seq, lineage, serial, sha256, bytes: totalBytes, final } = entry
    const data = entry.memory ?? (totalBytes === 0 ? Buffer.alloc(0) : await readFile(entry.path).catch(() => undefined))
    // Acknowledged through another stream, and so removed, in this very moment.
    if (data === undefined) return
    let at = 0
    do {
      const bytes = data.subarray(at, at + CHUNK_BYTES)
      at += CHUNK_BYTES
      yield { seq, lineage, serial, sha256, totalBytes, bytes, last: at >= totalBytes, final }
    } while (at < totalBytes)
  }

  return {
    get unacked() {
      return entries.length
    },
    async drained(timeoutMs) {
      let deadline: number | undefined
      for (;;) {
        const version = changes.version
        if (entries.every((entry) => entry.final)) return true
        deadline ??= performance.now() + timeoutMs
        const left = deadline - performance.now()
        if (left <= 0) return false
        await changes.after(version, left)
      }
    },
    async add(state, identity) {
      const seq = nextSeq()
      const path = join(journal, `${String(seq).padStart(8, '0')}.tfstate`)
      const stored = await store(path, state).then(
        () => true,
        () => false,
      )
      const sha256 = createHash('sha256').update(state).digest('hex')
      entries.push({ ...identity, seq, sha256, bytes: state.length, path, memory: stored ? undefined : state, final: false })
      latest = identity
      const waiting = entries.filter((entry) => entry.seq > sentTo)
      drop(waiting.slice(0, Math.max(0, waiting.length - MAX_WAITING)))
      changes.notify()
    },
    finish() {
      if (finalSeq !== undefined) return
      finalSeq = nextSeq()
      entries.push({ ...latest, seq: finalSeq, sha256: '', bytes: 0, path: join(journal, 'final'), memory: undefined, final: true })
      changes.notify()
    },
    ack(seq) {
      if (seq <= ackedTo) return
      ackedTo = seq
      drop(entries.filter((entry) => entry.seq <= seq))
      changes.notify()
    },
    async *stream(guard) {
      // A new reader gets again what the last one got but did not acknowledge.
      let sent = 0
      for (;;) {
        const version = changes.version
        if (!guard() || (finalSeq !== undefined && ackedTo >= finalSeq)) return
        const inFlight = entries.filter((entry) => entry.seq <= sent).length
        const next = entries.find((entry) => entry.seq > sent)
        if (next !== undefined && inFlight < WINDOW) {
          sent = next.seq
          sentTo = Math.max(sentTo, sent)
          yield* chunksOf(next)
          continue
        }
        await changes.after(version)
      }
    },
    wake: () => changes.notify(),
  }
}

const store = async (path: string, state: Buffer): Promise<void> => {
  const partial = `${path}.partial`
  const handle = await open(partial, 'w', 0o600)
  try {
    await handle.writeFile(state)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(partial, path)
  const directory = await open(join(path, '..'), 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
