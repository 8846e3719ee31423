import { type Endpoint, empty, endpoint, jsonApi, one } from '../../api/index.ts'
import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { RetentionPolicy } from '../tables.ts'
import { legacyRetentionType, retentionPolicyResource, retentionPolicyTypes } from './resource.ts'
import { retentionTypes } from './retention-policy.ts'
import { SetLegacyRetentionPolicy, SetRetentionPolicy } from './schemas.ts'

/** Of an organization or a workspace, whose name or id is the one parameter of the path. */
type RetentionVerbs = {
  get(ctx: Ctx, owner: string): Promise<RetentionPolicy | null>
  /** `days` of null: never delete. */
  set(ctx: Ctx, owner: string, days: number | null): Promise<RetentionPolicy>
  remove(ctx: Ctx, owner: string): Promise<void>
}

const answer = { one: retentionPolicyTypes }

/** The four methods of `…/relationships/data-retention-policy`; `collection` is `organizations` or `workspaces`. */
export const retentionEndpoints = (collection: 'organizations' | 'workspaces', { get, set, remove }: RetentionVerbs): Endpoint[] => {
  const path = `${collection}/:owner/relationships/data-retention-policy` as const
  return [
    endpoint({
      method: 'GET',
      path,
      auth: 'token',
      status: 200,
      answer,
      handle: async (ctx, { params }) => {
        const policy = await get(ctx, params.owner)
        if (policy === null) throw notFound()
        return one(retentionPolicyResource(policy))
      },
    }),
    endpoint({
      method: 'POST',
      path,
      auth: 'token',
      body: jsonApi(SetRetentionPolicy, { types: [retentionTypes.deleteOlder, retentionTypes.dontDelete] }),
      status: 201,
      answer,
      handle: async (ctx, { params, body }) => one(retentionPolicyResource(await set(ctx, params.owner, body))),
    }),
    endpoint({
      method: 'PATCH',
      path,
      auth: 'token',
      body: jsonApi(SetLegacyRetentionPolicy, { type: retentionTypes.legacy }),
      status: 200,
      answer: { one: legacyRetentionType },
      handle: async (ctx, { params, body }) =>
        one(retentionPolicyResource(await set(ctx, params.owner, body.deleteOlderThanNDays), legacyRetentionType)),
    }),
    endpoint({
      method: 'DELETE',
      path,
      auth: 'token',
      status: 204,
      answer: 'empty',
      handle: async (ctx, { params }) => {
        await remove(ctx, params.owner)
        return empty()
      },
    }),
  ]
}
