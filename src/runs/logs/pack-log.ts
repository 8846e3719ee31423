import type { RunDeps } from '../deps.ts'
import { deleteLogChunks, findPhase, listLogChunks, savePhase } from '../queries.ts'
import { isPhaseFinal } from '../statuses.ts'

const PAGE_CHUNKS = 64

/** Moves the rows of a finished log into one blob. Idempotent; readers see the same bytes before and after. */
export const packLog = async (d: RunDeps, phaseId: string): Promise<void> => {
  const phase = await findPhase(d.db, phaseId)
  if (phase === undefined || phase.logBlobKey !== null || phase.logBytes === 0 || !isPhaseFinal(phase.status)) return
  const blob = await d.blobs.put(chunksOf(d, phaseId, phase.logBytes), { maxBytes: Number.MAX_SAFE_INTEGER })
  if (blob.bytes !== phase.logBytes) throw new Error(`log of ${phaseId} has ${blob.bytes} bytes in rows, ${phase.logBytes} expected`)
  await d.db.transaction(async (tx) => {
    await savePhase(tx, phaseId, { logBlobKey: blob.key })
    await deleteLogChunks(tx, phaseId)
  })
}

const chunksOf = async function* (d: RunDeps, phaseId: string, end: number): AsyncGenerator<Buffer> {
  let at = 0
  while (at < end) {
    const chunks = await listLogChunks(d.db, phaseId, at, end, PAGE_CHUNKS)
    if (chunks.length === 0) return
    for (const chunk of chunks) {
      yield chunk.bytes
      at = chunk.offset + chunk.bytes.length
    }
  }
}
