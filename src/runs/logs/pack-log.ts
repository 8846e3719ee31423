import type { RunDeps } from '../deps.ts'
import { findPhase, savePhase } from '../queries.ts'
import { isPhaseFinal } from '../statuses.ts'
import { deleteLogChunks, readLogChunks } from './queries.ts'

/** Moves the rows of a finished log into one blob. Idempotent; readers see the same bytes before and after. */
export const packLog = async (d: Pick<RunDeps, 'db' | 'blobs'>, phaseId: string): Promise<void> => {
  const phase = await findPhase(d.db, phaseId)
  if (phase === undefined || phase.logBlobKey !== null || phase.logBytes === 0 || !isPhaseFinal(phase.status)) return
  const blob = await d.blobs.put(readLogChunks(d.db, phaseId, 0, phase.logBytes), { maxBytes: Number.MAX_SAFE_INTEGER })
  // Another replica has packed it meanwhile, and taken the rows away.
  if (blob.bytes !== phase.logBytes && (await findPhase(d.db, phaseId))?.logBlobKey !== null) return
  if (blob.bytes !== phase.logBytes) throw new Error(`log of ${phaseId} has ${blob.bytes} bytes in rows, ${phase.logBytes} expected`)
  await d.db.transaction(async (tx) => {
    await savePhase(tx, phaseId, { logBlobKey: blob.key })
    await deleteLogChunks(tx, phaseId)
  })
}
