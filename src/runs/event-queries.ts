import { and, asc, eq, inArray, sql, type SQL } from 'drizzle-orm'
import type { Reader } from './queries.ts'
import type { Comment, CommentRow, RunEventRow, RunTx } from './run.ts'

/** The workspace's row is locked: it is what numbers the events of a run. */
export const insertRunEvent = async (tx: RunTx, event: Omit<RunEventRow, 'position'>): Promise<void> => {
  const t = tx.t.runEvents
  const rows = await tx
    .select({ max: sql<number | null>`max(${t.position})` })
    .from(t)
    .where(eq(t.runId, event.runId))
  await tx.insert(t).values({ ...event, position: Number(rows[0]?.max ?? 0) + 1 })
}

export const listRunEvents = (db: Reader, runIds: string[]): Promise<RunEventRow[]> =>
  Promise.resolve(db.select().from(db.t.runEvents).where(inArray(db.t.runEvents.runId, runIds)).orderBy(asc(db.t.runEvents.position)))

export const findRunEvent = async (db: Reader, id: string): Promise<RunEventRow | undefined> => {
  const rows = await db.select().from(db.t.runEvents).where(eq(db.t.runEvents.id, id))
  return rows[0]
}

export const listRunEventsById = (db: Reader, ids: string[]): Promise<RunEventRow[]> =>
  Promise.resolve(db.select().from(db.t.runEvents).where(inArray(db.t.runEvents.id, ids)))

export const insertComment = async (tx: RunTx, comment: CommentRow): Promise<void> => {
  await tx.insert(tx.t.comments).values(comment)
}

/** Comments in the order in which they were made, each with the event that tells of it. */
const selectComments = async (db: Reader, where: (t: Reader['t']) => SQL): Promise<Comment[]> => {
  const { comments, runEvents } = db.t
  const rows = await db
    .select({ comment: comments, runEventId: runEvents.id })
    .from(comments)
    .innerJoin(runEvents, and(eq(runEvents.runId, comments.runId), eq(runEvents.commentId, comments.id)))
    .where(where(db.t))
    .orderBy(asc(comments.runId), asc(runEvents.position))
  return rows.map(({ comment, runEventId }) => ({ ...comment, runEventId }))
}

export const listComments = (db: Reader, runIds: string[]): Promise<Comment[]> =>
  selectComments(db, ({ comments }) => inArray(comments.runId, runIds))

export const listCommentsById = (db: Reader, ids: string[]): Promise<Comment[]> =>
  selectComments(db, ({ comments }) => inArray(comments.id, ids))
