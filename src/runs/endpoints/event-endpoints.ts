import { endpoint, jsonApi, many, one, type Endpoint } from '../../api/index.ts'
import type { Runs } from '../index.ts'
import { commentResource, runEventResource } from '../resource.ts'
import { commentType, runEventType } from '../resource-types.ts'
import { CreateComment } from '../schemas.ts'

/** What happened to a run, and what people said about it. */
export const eventEndpoints = (runs: Runs): Endpoint[] => [
  endpoint({
    method: 'GET',
    path: 'runs/:id/run-events',
    auth: 'token',
    include: ['actor', 'comment'],
    status: 200,
    answer: { many: runEventType },
    handle: async (ctx, { params }) => many((await runs.getRun(ctx, params.id)).events.map(runEventResource)),
  }),
  endpoint({
    method: 'GET',
    path: 'run-events/:id',
    auth: 'token',
    include: ['actor', 'comment'],
    status: 200,
    answer: { one: runEventType },
    handle: async (ctx, { params }) => one(runEventResource(await runs.getRunEvent(ctx, params.id))),
  }),
  endpoint({
    method: 'GET',
    path: 'runs/:id/comments',
    auth: 'token',
    status: 200,
    answer: { many: commentType },
    handle: async (ctx, { params }) => many((await runs.getRun(ctx, params.id)).comments.map(commentResource)),
  }),
  endpoint({
    method: 'POST',
    path: 'runs/:id/comments',
    auth: 'token',
    body: jsonApi(CreateComment, { type: 'comments' }),
    status: 201,
    answer: { one: commentType },
    handle: async (ctx, { params, body }) => one(commentResource(await runs.createComment(ctx, params.id, body.body))),
  }),
  endpoint({
    method: 'GET',
    path: 'comments/:id',
    auth: 'token',
    include: ['run-event'],
    status: 200,
    answer: { one: commentType },
    handle: async (ctx, { params }) => one(commentResource(await runs.getComment(ctx, params.id))),
  }),
]
