import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApi, type TestOrganization, makeTestApi } from '../../../test/harness/api.ts'
import type { Actor, Ctx } from '../../platform/context.ts'

let api: TestApi
let organization: TestOrganization
const shares = new Set(['ws-shared ws-own'])
beforeAll(async () => {
  api = await makeTestApi({
    slices: [() => ({ endpoints: [], ports: { sharesState: async (id, consumerId) => shares.has(`${id} ${consumerId}`) } })],
  })
  organization = await api.newOrganization()
})
afterAll(() => api.drop())

const user = (userId: string): Ctx => api.ctxOf({ kind: 'user', userId, username: 'u', isSiteAdmin: false, tokenId: 'at-1' })
const denied = { code: 'NOT_FOUND', detail: '' }

describe('authorize', () => {
  it('lets owners do what they may, and hides the rest of the world from strangers', async () => {
    const target = { organizationId: organization.id, workspaceId: 'ws-1' }
    await api.organizations.authorize(user(api.admin.user.id), 'run:apply', target)
    const { user: stranger } = await api.newUser()
    await expect(api.organizations.authorize(user(stranger.id), 'organization:read', target)).rejects.toMatchObject(denied)
    const nowhere = { organizationId: 'org-unknown' }
    await expect(api.organizations.authorize(user(api.admin.user.id), 'organization:read', nowhere)).rejects.toMatchObject(denied)
  })

  it('asks inside a transaction through that transaction', async () => {
    const { user: me, token } = await api.newUser()
    const { id } = await api.newOrganization('inside-a-transaction', token)
    const held = await api.db.transaction(async (tx) => {
      const before = await api.organizations.permissionsOf(user(me.id), id, undefined, tx)
      await tx.update(tx.t.memberships).set({ role: 'member' }).where(eq(tx.t.memberships.organizationId, id))
      return [before, await api.organizations.permissionsOf(user(me.id), id, undefined, tx)]
    })
    expect(held.map((set) => set.has('workspace:create'))).toEqual([true, false])
    const create = api.organizations.authorize(user(me.id), 'workspace:create', { organizationId: id })
    await expect(create).rejects.toMatchObject(denied)
  })

  it('R092: keeps a run within its workspace and those that share their state with it', async () => {
    const actor: Actor = { kind: 'run', runId: 'run-1', workspaceId: 'ws-own', organizationId: organization.id }
    const may = async (permission: Parameters<typeof api.organizations.authorize>[1], workspaceId?: string) =>
      api.organizations.authorize(api.ctxOf(actor), permission, { organizationId: organization.id, workspaceId }).then(
        () => true,
        () => false,
      )
    expect(await may('state:write', 'ws-own')).toBe(true)
    expect(await may('state:read', 'ws-shared')).toBe(true)
    expect(await may('state:write', 'ws-shared')).toBe(false)
    expect(await may('state:read', 'ws-other')).toBe(false)
    expect(await may('organization:read')).toBe(true)
    expect(await may('workspace:create')).toBe(false)
    expect(await may('variable:read', 'ws-own')).toBe(false)
  })
})

describe('permissionsOf', () => {
  it('remembers within a request, and asks anew in the next', async () => {
    const { user: me, token } = await api.newUser()
    const { id } = await api.newOrganization('remembered', token)
    const request = user(me.id)
    expect((await api.organizations.permissionsOf(request, id)).has('workspace:create')).toBe(true)
    await api.db.transaction(async (tx) => void (await tx.delete(tx.t.memberships)))
    expect((await api.organizations.permissionsOf(request, id)).has('workspace:create')).toBe(true)
    expect((await api.organizations.permissionsOf(user(me.id), id)).size).toBe(0)
  })

  it('of one who becomes a member within the request', async () => {
    const { user: me } = await api.newUser()
    const request = user(me.id)
    expect((await api.organizations.permissionsOf(request, organization.id)).size).toBe(0)
    const made = await api.organizations.createOrganization(request, { name: 'just-made', email: 'a@example.com' })
    expect((await api.organizations.permissionsOf(request, made.id)).has('organization:delete')).toBe(true)
  })
})
