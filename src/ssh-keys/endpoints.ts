import { empty, endpoint, jsonApi, many, one, paged, type Endpoint } from '../api/index.ts'
import { type Workspaces, workspaceIncludes, workspaceResource, workspaceType } from '../workspaces/index.ts'
import { sshKeyResource, sshKeyType } from './resource.ts'
import { AssignSshKey, CreateSshKey, UpdateSshKey } from './schemas.ts'
import type { SshKeys } from './ssh-keys.ts'

export const sshKeyEndpoints = (sshKeys: SshKeys, workspaces: Pick<Workspaces, 'getWorkspace'>): Endpoint[] => [
  endpoint({
    method: 'POST',
    path: 'organizations/:organization/ssh-keys',
    auth: 'token',
    body: jsonApi(CreateSshKey, { type: 'ssh-keys' }),
    status: 201,
    answer: { one: sshKeyType },
    handle: async (ctx, { params, body }) => one(sshKeyResource(await sshKeys.createSshKey(ctx, params.organization, body))),
  }),
  endpoint({
    method: 'GET',
    path: 'organizations/:organization/ssh-keys',
    auth: 'token',
    status: 200,
    answer: { many: sshKeyType, isPagedWhenAsked: true },
    handle: async (ctx, { params, page }) => {
      const { items, total } = await sshKeys.listSshKeys(ctx, params.organization, page.requested ? page : undefined)
      const resources = items.map(sshKeyResource)
      return page.requested ? paged(resources, total) : many(resources)
    },
  }),
  endpoint({
    method: 'GET',
    path: 'ssh-keys/:id',
    auth: 'token',
    status: 200,
    answer: { one: sshKeyType },
    handle: async (ctx, { params }) => one(sshKeyResource(await sshKeys.getSshKey(ctx, params.id))),
  }),
  endpoint({
    method: 'PATCH',
    path: 'ssh-keys/:id',
    auth: 'token',
    body: jsonApi(UpdateSshKey, { type: 'ssh-keys', optional: true }),
    status: 200,
    answer: { one: sshKeyType },
    handle: async (ctx, { params, body }) => one(sshKeyResource(await sshKeys.updateSshKey(ctx, params.id, body))),
  }),
  endpoint({
    method: 'DELETE',
    path: 'ssh-keys/:id',
    auth: 'token',
    status: 204,
    handle: async (ctx, { params }) => {
      await sshKeys.deleteSshKey(ctx, params.id)
      return empty()
    },
  }),
  endpoint({
    method: 'PATCH',
    path: 'workspaces/:id/relationships/ssh-key',
    auth: 'token',
    body: jsonApi(AssignSshKey, { type: 'workspaces' }),
    include: workspaceIncludes,
    status: 200,
    answer: { one: workspaceType },
    handle: async (ctx, { params, body }) => {
      await sshKeys.assignSshKey(ctx, params.id, body.id)
      return one(workspaceResource(await workspaces.getWorkspace(ctx, { id: params.id })))
    },
  }),
]
