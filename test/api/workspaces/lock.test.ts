import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, type TestOrganization } from '../../harness/api.ts'
import { makeWorkspaceApi, type WorkspaceApi } from '../../harness/workspaces.ts'

let api: WorkspaceApi
let organization: TestOrganization
beforeAll(async () => {
  api = await makeWorkspaceApi()
  organization = await api.newOrganization()
})
afterAll(() => api.drop())

const act = (id: string, action: string, call: { token?: string; body?: unknown } = {}) =>
  api.request('POST', `workspaces/${id}/actions/${action}`, call)
const runId = 'run-1111111111111111'
const organizationToken = async () =>
  String((await api.request('POST', `organizations/${organization.name}/authentication-token`)).one().attributes['token'])

describe('POST workspaces/:id/actions/lock', () => {
  it.each([
    ['the form of terraform', documentOf('', { reason: 'Locked by Terraform' }), 'Locked by Terraform'],
    ['the documented form', { reason: 'by hand' }, 'by hand'],
    ['an empty type and nothing else', { data: { type: '' } }, ''],
    ['nothing', undefined, ''],
    ['an empty body', '', ''],
  ])('200: %s', async (_, body, reason) => {
    const { id } = await api.newWorkspace(organization.name)
    const { status, one } = await act(id, 'lock', { body })
    expect(status).toBe(200)
    expect(one()).toMatchObject({
      type: 'workspaces',
      id,
      attributes: { locked: true, 'locked-reason': reason },
      relationships: { 'locked-by': { data: { type: 'users', id: api.admin.user.id } } },
    })
    expect(one()).toEqual(await api.read(id))
  })

  it('409: locked already, by oneself as well', async () => {
    const { id } = await api.newWorkspace(organization.name)
    await act(id, 'lock')
    const { status, errors } = await act(id, 'lock')
    expect(status).toBe(409)
    expect(errors[0]?.detail).toBe('The workspace is locked by User admin')
  })

  it('R020: 409: of two at the same time one gets it', async () => {
    const { id } = await api.newWorkspace(organization.name)
    const answers = await Promise.all([1, 2, 3].map(() => act(id, 'lock')))
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(['200', '409', '409'])
  })
})

describe('POST workspaces/:id/actions/unlock', () => {
  it.each([[undefined], [''], [{ data: { type: '' } }]])('200: with the body %j', async (body) => {
    const { id } = await api.newWorkspace(organization.name)
    const before = await api.read(id)
    await act(id, 'lock', { body: { reason: 'x' } })
    const { status, one } = await act(id, 'unlock', { body })
    expect(status).toBe(200)
    expect(one()).toEqual(before)
  })

  it('200: the newest finalized snapshot becomes current', async () => {
    const { id } = await api.newWorkspace(organization.name)
    await act(id, 'lock')
    await api.newStateVersion(id, { isIntermediate: true, managedCount: 1 })
    const newest = await api.newStateVersion(id, { isIntermediate: true, managedCount: 4 })
    const { one } = await act(id, 'unlock')
    expect(one()).toMatchObject({
      attributes: { 'resource-count': 4, locked: false },
      relationships: { 'current-state-version': { data: { id: newest } } },
    })
  })

  it('409: not locked', async () => {
    const { id } = await api.newWorkspace(organization.name)
    const { status, errors } = await act(id, 'unlock')
    expect(status).toBe(409)
    expect(errors[0]?.detail).toBe('The workspace is already unlocked')
  })

  it('409: locked by another user, a team or a run', async () => {
    const token = await organizationToken()
    const { id } = await api.newWorkspace(organization.name)
    await act(id, 'lock')
    const byUser = await act(id, 'unlock', { token })
    expect(byUser.status).toBe(409)
    expect(byUser.errors[0]?.detail).toContain('is locked by User admin')
    for (const [kind, by] of [
      ['team', 'team-1111111111111111'],
      ['run', runId],
    ] as const) {
      await api.setWorkspace(id, { lockedByKind: kind, lockedById: by })
      const { status, errors } = await act(id, 'unlock')
      expect(status).toBe(409)
      expect(errors[0]?.detail).toContain(kind === 'team' ? 'is locked by Team' : `is locked by Run ${runId}`)
      expect((await api.read(id)).relationships['locked-by']).toEqual({
        data: { type: `${kind}s`, id: by },
        links: { related: `/api/v2/${kind}s/${by}` },
      })
    }
  })

  it('422: the newest state version is pending', async () => {
    const { id } = await api.newWorkspace(organization.name)
    await act(id, 'lock')
    await api.newStateVersion(id, { isIntermediate: true, status: 'pending' })
    const { status, errors } = await act(id, 'unlock')
    expect(status).toBe(422)
    expect(errors[0]?.detail).toContain('latest state version is still pending')
    expect((await api.read(id)).attributes['locked']).toBe(true)
  })

  it('200: an organization token unlocks what it has locked', async () => {
    const token = await organizationToken()
    const account = (await api.request('GET', 'account/details', { token })).one()
    const { id } = await api.newWorkspace(organization.name)
    expect((await act(id, 'lock', { token })).one().relationships['locked-by']).toMatchObject({ data: { type: 'users', id: account.id } })
    expect((await act(id, 'unlock')).status).toBe(409)
    expect((await act(id, 'unlock', { token })).status).toBe(200)
  })
})

describe('POST workspaces/:id/actions/force-unlock', () => {
  it('200: the lock of somebody else, pending state or not', async () => {
    const { id } = await api.newWorkspace(organization.name)
    await act(id, 'lock', { token: await organizationToken() })
    const finalized = await api.newStateVersion(id, { isIntermediate: true })
    await api.newStateVersion(id, { isIntermediate: true, status: 'pending' })
    const { status, one } = await act(id, 'force-unlock', { body: '' })
    expect(status).toBe(200)
    expect(one()).toMatchObject({
      attributes: { locked: false },
      relationships: { 'locked-by': { data: null }, 'current-state-version': { data: { id: finalized } } },
    })
  })

  it('409: not locked, or locked by a run', async () => {
    const { id } = await api.newWorkspace(organization.name)
    expect((await act(id, 'force-unlock')).status).toBe(409)
    await api.db.transaction((tx) => api.workspaces.lockForRun(tx, id, runId))
    const { status, errors } = await act(id, 'force-unlock')
    expect(status).toBe(409)
    expect(errors[0]?.detail).toContain(`is locked by Run ${runId}`)
  })
})

describe('locks of runs', () => {
  const run = (id: string) => ({
    lock: (by: string) => api.db.transaction((tx) => api.workspaces.lockForRun(tx, id, by)),
    unlock: (by: string) => api.db.transaction((tx) => api.workspaces.unlockFromRun(tx, id, by)),
  })

  it('take and give back, as often as asked, and only by the run itself', async () => {
    const { id } = await api.newWorkspace(organization.name)
    const { lock, unlock } = run(id)
    await lock(runId)
    await lock(runId)
    await expect(lock('run-2222222222222222')).rejects.toMatchObject({ code: 'CONFLICT' })
    expect((await act(id, 'lock')).status).toBe(409)
    await unlock('run-2222222222222222')
    expect((await api.read(id)).attributes['locked']).toBe(true)
    await unlock(runId)
    await unlock(runId)
    expect((await api.read(id)).attributes['locked']).toBe(false)
  })

  it('are refused while a user holds the lock, and for workspaces that are gone', async () => {
    const { id } = await api.newWorkspace(organization.name)
    await act(id, 'lock')
    await expect(run(id).lock(runId)).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(run('ws-1111111111111111').lock(runId)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('let terraform inside the run lock and unlock without effect', async () => {
    const { id } = await api.newWorkspace(organization.name)
    const token = await api.db.transaction((tx) =>
      api.accounts.runTokens.issue(tx, { runId, workspaceId: id, organizationId: organization.id }, new Date(Date.now() + 60_000)),
    )
    await run(id).lock(runId)
    const before = await api.read(id)
    expect((await act(id, 'lock', { token })).status).toBe(200)
    expect((await act(id, 'unlock', { token })).status).toBe(200)
    expect(await api.read(id)).toEqual(before)
    const other = await api.newWorkspace(organization.name)
    expect((await act(other.id, 'lock', { token })).status).toBe(404)
  })

  it('are told to the outbox, like all others', async () => {
    const { id } = await api.newWorkspace(organization.name)
    await run(id).lock(runId)
    await run(id).unlock(runId)
    await act(id, 'lock')
    await act(id, 'force-unlock')
    const { events } = api.db.t
    const written = await api.db.select().from(events).where(eq(events.subject, id)).orderBy(events.sequence)
    expect(written.map(({ type, payload }) => [type, payload['by']])).toEqual([
      ['workspace.created', undefined],
      ['workspace.locked', 'run'],
      ['workspace.unlocked', 'run'],
      ['workspace.locked', 'user'],
      ['workspace.unlocked', 'user'],
    ])
    expect(written.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5])
  })
})
