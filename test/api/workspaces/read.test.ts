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

describe('GET workspaces/:id and organizations/:organization/workspaces/:name', () => {
  it('200: reading moves nothing', async () => {
    const { id, attributes } = await api.newWorkspace(organization.name)
    const first = await api.read(id)
    expect(await api.read(id)).toEqual(first)
    expect(first.attributes['updated-at']).toBe(attributes['updated-at'])
  })

  it('200: by name in any case, in an organization in any case', async () => {
    const { id, attributes } = await api.newWorkspace(organization.name)
    const path = `organizations/${organization.name.toUpperCase()}/workspaces/${String(attributes['name']).toUpperCase()}`
    expect((await api.request('GET', path)).one().id).toBe(id)
  })

  it('200: includes organization, project, effective tag bindings, variables and whoever locked it', async () => {
    const { id } = await api.newWorkspace(organization.name)
    await api.request('PATCH', `workspaces/${id}/tag-bindings`, {
      body: { data: [{ type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } }] },
    })
    await api.request('POST', `workspaces/${id}/vars`, { body: documentOf('vars', { key: 'a', category: 'terraform' }) })
    await api.request('POST', `workspaces/${id}/actions/lock`)
    const paths = 'organization,project,effective_tag_bindings,tag-bindings,locked_by,vars,readme,outputs'
    const { status, one, included } = await api.request('GET', `workspaces/${id}?include=${paths}`)
    expect(status).toBe(200)
    expect(one()).toEqual(await api.read(id))
    expect(included.map(({ type }) => type).sort()).toEqual(
      ['effective-tag-bindings', 'organizations', 'projects', 'tag-bindings', 'users', 'vars'].sort(),
    )
    expect(included.find(({ type }) => type === 'effective-tag-bindings')).not.toHaveProperty('links')
    expect(included.find(({ type }) => type === 'users')?.id).toBe(api.admin.user.id)
  })

  it.each([
    'current_run',
    'current_run.plan',
    'current_run.configuration_version.ingress_attributes',
    'current_configuration_version',
    'current_configuration_version.ingress_attributes',
    'current-state-version',
    'outputs',
    'readme',
  ])('200: include=%s is known, even where there is nothing', async (path) => {
    const { id } = await api.newWorkspace(organization.name)
    const { status, included } = await api.request('GET', `workspaces/${id}?include=${path}`)
    expect(status).toBe(200)
    expect(included).toEqual([])
  })

  it('200: links what the later slices have pointed it at', async () => {
    const { id } = await api.newWorkspace(organization.name)
    const version = await api.newStateVersion(id)
    await api.db.transaction(async (tx) => {
      await tx.insert(tx.t.stateOutputs).values({
        id: 'wsout-1111111111111111',
        stateVersionId: version,
        name: 'a',
        isSensitive: false,
        type: 'string',
        valueSealed: Buffer.alloc(0),
        position: 1,
      })
    })
    await api.setWorkspace(id, {
      currentStateVersionId: version,
      currentRunId: 'run-1111111111111111',
      resourceCount: 3,
      allowDestroyPlan: false,
    })
    expect(await api.read(id)).toMatchObject({
      attributes: { 'resource-count': 3, actions: { 'is-destroyable': false } },
      relationships: {
        'current-run': { data: { type: 'runs', id: 'run-1111111111111111' } },
        'current-state-version': { data: { type: 'state-versions', id: version } },
        outputs: { data: [{ type: 'workspace-outputs', id: 'wsout-1111111111111111' }] },
      },
    })
  })

  it('200: a run token reads its own workspace and those that share their state with it, without variables', async () => {
    const own = await api.newWorkspace(organization.name)
    const shared = await api.newWorkspace(organization.name, { 'global-remote-state': true })
    const other = await api.newWorkspace(organization.name)
    for (const { id } of [own, shared]) {
      await api.request('POST', `workspaces/${id}/vars`, { body: documentOf('vars', { key: 'a', category: 'env' }) })
    }
    const token = await runToken(own.id)
    const readName = ({ attributes }: typeof own) =>
      api.request('GET', `organizations/${organization.name}/workspaces/${String(attributes['name'])}`, { token })
    expect((await readName(own)).one().attributes['permissions']).toMatchObject({ 'can-update': false, 'can-create-state-versions': true })
    expect((await readName(shared)).one().relationships['vars']).toEqual({ data: [] })
    expect((await readName(other)).status).toBe(404)
    const list = await api.request('GET', `organizations/${organization.name}/workspaces`, { token })
    expect(list.many().map(({ id }) => id)).toEqual([own.id])
  })

  it('400: an unknown include', async () => {
    const { id } = await api.newWorkspace(organization.name)
    const { status, errors } = await api.request('GET', `workspaces/${id}?include=secrets`)
    expect(status).toBe(400)
    expect(errors[0]?.detail).toContain('include parameter')
  })

  it.each(['ws-1111111111111111', 'nonexisting', '..%2f..'])('404: workspaces/%s', async (id) => {
    expect((await api.request('GET', `workspaces/${id}`)).status).toBe(404)
  })

  it('401: without a token', async () => {
    const { id } = await api.newWorkspace(organization.name)
    expect((await api.request('GET', `workspaces/${id}`, { token: '' })).status).toBe(401)
  })
})

const runToken = (workspaceId: string): Promise<string> =>
  api.db.transaction((tx) =>
    api.accounts.runTokens.issue(
      tx,
      { runId: 'run-1111111111111111', workspaceId, organizationId: organization.id },
      new Date(Date.now() + 60_000),
    ),
  )
