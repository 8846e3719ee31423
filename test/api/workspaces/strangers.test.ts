import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workspaceEndpoints } from '../../../src/workspaces/index.ts'
import { documentOf, type TestOrganization } from '../../harness/api.ts'
import type { TestResource } from '../../harness/answer.ts'
import { makeWorkspaceApi, type WorkspaceApi } from '../../harness/workspaces.ts'

let api: WorkspaceApi
let organization: TestOrganization
let workspace: TestResource
let variable: TestResource
let token: string
beforeAll(async () => {
  api = await makeWorkspaceApi()
  organization = await api.newOrganization()
  workspace = await api.newWorkspace(organization.name, { name: 'hidden' })
  variable = (
    await api.request('POST', `workspaces/${workspace.id}/vars`, { body: documentOf('vars', { key: 'a', category: 'env' }) })
  ).one()
  token = (await api.newUser()).token
})
afterAll(() => api.drop())

/** Valid bodies, so that the refusal is about the right and about nothing else. */
const bodies: Record<string, unknown> = {
  'POST /api/v2/organizations/:organization/workspaces': documentOf('workspaces', { name: 'new' }),
  'POST /api/v2/workspaces/:id/vars': documentOf('vars', { key: 'b', category: 'env' }),
  'POST /api/v2/workspaces/:id/relationships/tags': { data: [{ type: 'tags', attributes: { name: 'a' } }] },
  'DELETE /api/v2/workspaces/:id/relationships/tags': { data: [{ type: 'tags', attributes: { name: 'a' } }] },
  'PATCH /api/v2/workspaces/:id/tag-bindings': { data: [{ type: 'tag-bindings', attributes: { key: 'a' } }] },
  'POST /api/v2/workspaces/:owner/relationships/data-retention-policy': documentOf('data-retention-policy-dont-deletes'),
  'PATCH /api/v2/workspaces/:owner/relationships/data-retention-policy': documentOf('data-retention-policies', {
    'delete-older-than-n-days': 3,
  }),
  'DELETE /api/v2/organizations/:organization/tags': { data: [] },
  'POST /api/v2/tags/:id/relationships/workspaces': { data: [] },
  'POST /api/v2/workspaces/:id/relationships/remote-state-consumers': { data: [] },
  'PATCH /api/v2/workspaces/:id/relationships/remote-state-consumers': { data: [] },
  'DELETE /api/v2/workspaces/:id/relationships/remote-state-consumers': { data: [] },
}

describe('every endpoint', () => {
  // only the descriptors are looked at: no verb is called
  const endpoints = workspaceEndpoints({ retention: {} } as WorkspaceApi['workspaces'])
    // test/api/teams has those
    .filter(({ path }) => !path.includes('team-workspaces'))
    .map(({ method, path, auth }) => ({ method, path, auth }))

  it.each(endpoints)('$method $path: 401 without a token, 404 for a stranger, and nothing has changed', async ({ method, path, auth }) => {
    const before = await api.read(workspace.id)
    const address = path
      .replace(':organization', organization.name)
      .replace(':name', 'hidden')
      .replace(':id', workspace.id)
      .replace(':owner', workspace.id)
      .replace(':variable', variable.id)
    const body = bodies[`${method} ${path}`]
    expect(auth).toBe('token')
    expect((await api.request(method, address, { token: '', body })).status).toBe(401)
    const { status, errors } = await api.request(method, address, { token, body })
    expect(status).toBe(404)
    expect(errors).toEqual([{ status: '404', title: 'not found' }])
    expect(await api.read(workspace.id)).toEqual(before)
  })

  it('cover the surface that clients use', () => {
    expect(endpoints).toHaveLength(35)
  })
})
