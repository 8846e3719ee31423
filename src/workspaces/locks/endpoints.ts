import { z } from 'zod'
import { endpoint, one, plainJson, type Endpoint } from '../../api/index.ts'
import { workspaceIncludes } from '../includes.ts'
import { workspaceResource } from '../resource.ts'
import { workspaceType } from '../resource-types.ts'
import type { Workspaces } from '../workspaces.ts'

const LockBody = z.object({ reason: z.string().max(1000).nullish() })

export const lockEndpoints = (workspaces: Pick<Workspaces, 'lockWorkspace' | 'unlockWorkspace' | 'forceUnlockWorkspace'>): Endpoint[] => [
  endpoint({
    method: 'POST',
    path: 'workspaces/:id/actions/lock',
    auth: 'token',
    body: plainJson(LockBody),
    include: workspaceIncludes,
    status: 200,
    answer: { one: workspaceType },
    handle: async (ctx, { params, body }) => one(workspaceResource(await workspaces.lockWorkspace(ctx, params.id, body.reason ?? ''))),
  }),
  endpoint({
    method: 'POST',
    path: 'workspaces/:id/actions/unlock',
    auth: 'token',
    include: workspaceIncludes,
    status: 200,
    answer: { one: workspaceType },
    handle: async (ctx, { params }) => one(workspaceResource(await workspaces.unlockWorkspace(ctx, params.id))),
  }),
  endpoint({
    method: 'POST',
    path: 'workspaces/:id/actions/force-unlock',
    auth: 'token',
    include: workspaceIncludes,
    status: 200,
    answer: { one: workspaceType },
    handle: async (ctx, { params }) => one(workspaceResource(await workspaces.forceUnlockWorkspace(ctx, params.id))),
  }),
]
