import { notFound } from '../../platform/errors.ts'
import type { RunDeps } from '../deps.ts'
import { findPhase } from '../queries.ts'
import type { PhaseRow } from '../run.ts'
import { isPhaseFinal } from '../statuses.ts'
import { readLogChunks } from './queries.ts'

const STX = Buffer.of(2)
const ETX = Buffer.of(3)
const MAX_READ_BYTES = 1024 * 1024

/**
 * Bytes [offset, offset + limit) of a plan's or an apply's log as clients read it: STX, the text, and ETX once the phase has ended; offsets
 * count the markers. Past the end: no bytes. Reads are capped at 1 MiB; the client asks for the rest. Throws NOT_FOUND.
 */
export const readLog =
  (d: Pick<RunDeps, 'db' | 'blobs'>) =>
  async (phaseId: string, offset: number, limit: number): Promise<Buffer> => {
    const phase = await findPhase(d.db, phaseId)
    if (phase === undefined) throw notFound()
    const end = Math.min(offset + Math.min(limit, MAX_READ_BYTES), framedLength(phase))
    if (offset >= end) return Buffer.alloc(0)
    const parts: Buffer[] = []
    if (offset === 0) parts.push(STX)
    const from = Math.max(0, offset - 1)
    const to = Math.min(phase.logBytes, end - 1)
    if (to > from) parts.push(await readText(d, phase, from, to))
    if (isPhaseFinal(phase.status) && end === framedLength(phase)) parts.push(ETX)
    return Buffer.concat(parts)
  }

const framedLength = (phase: PhaseRow): number => 1 + phase.logBytes + (isPhaseFinal(phase.status) ? 1 : 0)

/** Text bytes [from, to), from rows or, once the log was packed, from its blob. */
const readText = async (d: Pick<RunDeps, 'db' | 'blobs'>, phase: PhaseRow, from: number, to: number): Promise<Buffer> => {
  if (phase.logBlobKey !== null) return readAll(d.blobs.get(phase.logBlobKey, { offset: from, length: to - from }))
  const bytes = await readAll(readLogChunks(d.db, phase.id, from, to))
  if (bytes.length === to - from) return bytes
  // Packed between the two reads.
  const packed = await findPhase(d.db, phase.id)
  if (packed === undefined || packed.logBlobKey === null) throw notFound()
  return readText(d, packed, from, to)
}

const readAll = async (source: AsyncIterable<Buffer>): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of source) parts.push(part)
  return Buffer.concat(parts)
}
