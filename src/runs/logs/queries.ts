import { and, asc, eq, gt, lt, or, sql } from 'drizzle-orm'
import type { Reader } from '../queries.ts'
import type { RunTx } from '../run.ts'

const PAGE_CHUNKS = 64

export const insertLogChunk = async (tx: RunTx, phaseId: string, offset: number, bytes: Buffer): Promise<void> => {
  const prepared = tx.prepare('runs_insert_log_chunk', (q) =>
    q.insert(tx.t.logChunks).values({
      phaseId: sql.placeholder('phaseId'),
      offset: sql.placeholder('offset'),
      bytes: sql.placeholder('bytes'),
    }),
  )
  await prepared.execute({ phaseId, offset, bytes })
}

/** Bytes [from, to) of the log, as far as they are in rows. */
export const readLogChunks = async function* (db: Reader, phaseId: string, from: number, to: number): AsyncGenerator<Buffer> {
  let at = from
  while (at < to) {
    const chunks = await listLogChunks(db, phaseId, at, to)
    if (chunks.length === 0) return
    for (const { offset, bytes } of chunks) {
      const part = bytes.subarray(at - offset, to - offset)
      yield part
      at += part.length
    }
  }
}

/** Chunks that overlap [from, to), in order, as many as are read at once. */
const listLogChunks = (db: Reader, phaseId: string, from: number, to: number): Promise<{ offset: number; bytes: Buffer }[]> => {
  const t = db.t.logChunks
  const begin = sql`${t.offset} = (select max(c.offset) from ${t} c where c.phase_id = ${phaseId} and c.offset <= ${from})`
  return Promise.resolve(
    db
      .select({ offset: t.offset, bytes: t.bytes })
      .from(t)
      .where(and(eq(t.phaseId, phaseId), lt(t.offset, to), or(gt(t.offset, from), begin)))
      .orderBy(asc(t.offset))
      .limit(PAGE_CHUNKS),
  )
}

export const deleteLogChunks = async (tx: RunTx, phaseId: string): Promise<void> => {
  await tx.delete(tx.t.logChunks).where(eq(tx.t.logChunks.phaseId, phaseId))
}
