import { savePhase } from '../queries.ts'
import type { PhaseRow, RunTx } from '../run.ts'
import { logTopic } from './log-topic.ts'
import { insertLogChunk } from './queries.ts'

/** Appends text to the log of a phase that has not ended; answers its new length. The caller's transaction holds the phase against other writers. */
export const appendLog = async (tx: RunTx, phase: Pick<PhaseRow, 'id' | 'logBytes'>, text: string | Buffer): Promise<number> => {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  if (bytes.length === 0) return phase.logBytes
  await insertLogChunk(tx, phase.id, phase.logBytes, bytes)
  const logBytes = phase.logBytes + bytes.length
  await savePhase(tx, phase.id, { logBytes })
  tx.announce(logTopic(phase.id))
  return logBytes
}
