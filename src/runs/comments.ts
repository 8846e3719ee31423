import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { lockAllowedRun, userIdOf } from './act-on-run.ts'
import type { RunDeps } from './deps.ts'
import { insertComment, insertRunEvent, listCommentsById } from './event-queries.ts'
import { readRun } from './get-run.ts'
import type { Comment } from './run.ts'

/** Says something about a run, in whatever status it is; the run's events tell of it. Throws NOT_FOUND. */
export const createComment =
  (d: RunDeps) =>
  async (ctx: Ctx, runId: string, body: string): Promise<Comment> =>
    d.db.transaction(async (tx) => {
      const { run } = await lockAllowedRun(d, tx, ctx, runId, 'run:comment')
      const now = d.clock.now()
      const userId = userIdOf(ctx)
      const comment = { id: newId('wsc'), runId, body, authorUserId: userId, createdAt: now }
      await insertComment(tx, comment)
      const event = {
        id: newId('re'),
        runId,
        action: 'commented',
        description: null,
        actorUserId: userId,
        commentId: comment.id,
        createdAt: now,
      }
      await insertRunEvent(tx, event)
      await d.emit(tx, { type: 'run.commented', subject: runId, organizationId: run.organizationId, version: run.version })
      return { ...comment, runEventId: event.id }
    })

/** Throws NOT_FOUND. */
export const getComment =
  (d: RunDeps) =>
  async (ctx: Ctx, id: string): Promise<Comment> => {
    const [comment] = await listCommentsById(d.db, [id])
    if (comment === undefined) throw notFound()
    await readRun(d, ctx, comment.runId)
    return comment
  }
