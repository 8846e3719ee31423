import { and, asc, eq, inArray, sql, type SQL } from 'drizzle-orm'
import { isAnyOf, textsFor } from '../platform/db/any-of.ts'
import type { Reader } from './queries.ts'
import type { Comment, CommentRow, RunEventRow, RunTx } from './run.ts'

/** The workspace's row is locked: it is what numbers the events of a run. */
export const insertRunEvent = async (tx: RunTx, event: Omit<RunEventRow, 'position'>): Promise<void> => {
  const t = tx.t.runEvents
  const newest = tx.prepare('runs_newest_event', (q) =>
    q
      .select({ max: sql<number | null>`max(${t.position})` })
      .from(t)
      .where(eq(t.runId, sql.placeholder('runId'))),
  )
  const rows = await newest.execute({ runId: event.runId })
  const insert = tx.prepare('runs_insert_event', (q) =>
    q.insert(t).values({
      id: sql.placeholder('id'),
      runId: sql.placeholder('runId'),
      action: sql.placeholder('action'),
      description: sql.placeholder('description'),
      actorUserId: sql.placeholder('actorUserId'),
      commentId: sql.placeholder('commentId'),
      position: sql.placeholder('position'),
      createdAt: sql.placeholder('createdAt'),
    }),
  )
  await insert.execute({ ...event, position: Number(rows[0]?.max ?? 0) + 1 })
}

export const listRunEvents = (db: Reader, runIds: string[]): Promise<RunEventRow[]> => {
  const { runEvents } = db.t
  const prepared = db.prepare('runs_list_events', (q) =>
    q
      .select()
      .from(runEvents)
      .where(isAnyOf(db.dialect, runEvents.runId, 'runIds'))
      .orderBy(asc(runEvents.position)),
  )
  return prepared.execute({ runIds: textsFor(db.dialect, runIds) })
}

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
const selectComments = ({ comments, runEvents }: Reader['t'], db: Pick<Reader, 'select'>, where: SQL) =>
  db
    .select({ comment: comments, runEventId: runEvents.id })
    .from(comments)
    .innerJoin(runEvents, and(eq(runEvents.runId, comments.runId), eq(runEvents.commentId, comments.id)))
    .where(where)
    .orderBy(asc(comments.runId), asc(runEvents.position))

const withEvent = ({ comment, runEventId }: { comment: CommentRow; runEventId: string }): Comment => ({ ...comment, runEventId })

export const listComments = async (db: Reader, runIds: string[]): Promise<Comment[]> => {
  const { t } = db
  const prepared = db.prepare('runs_list_comments', (q) => selectComments(t, q, isAnyOf(db.dialect, t.comments.runId, 'runIds')))
  return (await prepared.execute({ runIds: textsFor(db.dialect, runIds) })).map(withEvent)
}

export const listCommentsById = async (db: Reader, ids: string[]): Promise<Comment[]> =>
  (await selectComments(db.t, db, inArray(db.t.comments.id, ids))).map(withEvent)
