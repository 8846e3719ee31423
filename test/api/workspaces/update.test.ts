import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, testName, type TestOrganization } from '../../harness/api.ts'
import { makeFakeClock } from '../../harness/fake-clock.ts'
import { makeWorkspaceApi, type WorkspaceApi } from '../../harness/workspaces.ts'

const clock = makeFakeClock()
let api: WorkspaceApi
let organization: TestOrganization
beforeAll(async () => {
  api = await makeWorkspaceApi({ clock })
  organization = await api.newOrganization()
})
afterAll(() => api.drop())

const update = (id: string, attributes: Record<string, unknown>, relationships?: Record<string, unknown>) =>
  api.request('PATCH', `workspaces/${id}`, { body: documentOf('workspaces', attributes, relationships) })

describe('PATCH workspaces/:id and organizations/:organization/workspaces/:name', () => {
  it('200: what terraform sends after a creation: no id, one attribute', async () => {
    const { id } = await api.newWorkspace(organization.name, { description: 'kept' })
    clock.advance(1000)
    const { status, one } = await update(id, { 'terraform-version': '1.10.5' })
    expect(status).toBe(200)
    expect(one()).toEqual(await api.read(id))
    expect(one().attributes).toMatchObject({ 'terraform-version': '1.10.5', description: 'kept', 'updated-at': clock.now().toISOString() })
  })

  it('200: by name, and the new name is where it is found afterwards', async () => {
    const { id, attributes } = await api.newWorkspace(organization.name)
    const name = testName('renamed')
    const { status, one } = await api.request('PATCH', `organizations/${organization.name}/workspaces/${String(attributes['name'])}`, {
      body: documentOf('workspaces', { name }),
    })
    expect(status).toBe(200)
    expect(one().links?.['self']).toContain(name)
    expect((await api.request('GET', `organizations/${organization.name}/workspaces/${name}`)).one().id).toBe(id)
    expect((await api.request('GET', `organizations/${organization.name}/workspaces/${String(attributes['name'])}`)).status).toBe(404)
  })

  it.each([[{ data: { type: 'workspaces' } }], [undefined], [documentOf('workspaces', { 'auto-apply': false })]])(
    '200: nothing changes, so updated-at stays: %j',
    async (body) => {
      const { id } = await api.newWorkspace(organization.name)
      const before = await api.read(id)
      clock.advance(1000)
      const { status, one } = await api.request('PATCH', `workspaces/${id}`, { body })
      expect(status).toBe(200)
      expect(one()).toEqual(before)
    },
  )

  it('200: null clears', async () => {
    const { id } = await api.newWorkspace(organization.name, {
      description: 'x',
      'working-directory': 'a/b',
      'auto-destroy-at': '2030-01-01T00:00:00Z',
      'auto-destroy-activity-duration': '3h',
      'trigger-patterns': ['/a/**'],
      'auto-apply': true,
      'execution-mode': 'local',
      'terraform-version': '1.10.5',
    })
    expect((await api.read(id)).attributes['inherits-project-auto-destroy']).toBe(false)
    const { one } = await update(id, {
      description: null,
      'working-directory': null,
      'auto-destroy-at': null,
      'auto-destroy-activity-duration': null,
      'trigger-patterns': null,
      'auto-apply': null,
      'execution-mode': null,
      'terraform-version': null,
      'vcs-repo': null,
      'inherits-project-auto-destroy': null,
    })
    expect(one().attributes).toMatchObject({
      description: null,
      'working-directory': '',
      'auto-destroy-at': null,
      'auto-destroy-activity-duration': null,
      'trigger-patterns': [],
      'auto-apply': false,
      'execution-mode': 'remote',
      'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
      'terraform-version': '1.11.4',
      'inherits-project-auto-destroy': true,
    })
  })

  it('200: prefixes and patterns take turns', async () => {
    const { id } = await api.newWorkspace(organization.name, { 'trigger-prefixes': ['/prefix-1/'] })
    const patterns = await update(id, { 'trigger-prefixes': [], 'trigger-patterns': ['/module-1/**/*'] })
    expect(patterns.one().attributes).toMatchObject({ 'trigger-prefixes': [], 'trigger-patterns': ['/module-1/**/*'] })
    const prefixes = await update(id, { 'trigger-prefixes': ['/a'] })
    expect(prefixes.one().attributes).toMatchObject({ 'trigger-prefixes': ['/a'], 'trigger-patterns': [] })
  })

  it('200: the execution mode is owned when given, and inherited again on request', async () => {
    const { id } = await api.newWorkspace(organization.name)
    const modeAfter = async (attributes: Record<string, unknown>) => {
      const { attributes: after } = (await update(id, attributes)).one()
      return [after['execution-mode'], (after['setting-overwrites'] as Record<string, boolean>)['execution-mode']]
    }
    expect(await modeAfter({ operations: false })).toEqual(['local', true])
    expect(await modeAfter({ 'execution-mode': 'remote' })).toEqual(['remote', true])
    expect(await modeAfter({ 'setting-overwrites': { 'execution-mode': false } })).toEqual(['remote', false])
    expect(await modeAfter({ 'execution-mode': 'local', 'setting-overwrites': { 'execution-mode': true } })).toEqual(['local', true])
    expect(await modeAfter({ 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } })).toEqual(['remote', false])
    expect(await modeAfter({ 'setting-overwrites': { 'execution-mode': true } })).toEqual(['remote', true])
  })

  it('200: moves to another project of the organization', async () => {
    const project = (
      await api.request('POST', `organizations/${organization.name}/projects`, { body: documentOf('projects', { name: testName('prj') }) })
    ).one()
    const { id } = await api.newWorkspace(organization.name)
    const { one } = await update(id, {}, { project: { data: { type: 'projects', id: project.id } } })
    expect(one().relationships['project']).toEqual({ data: { type: 'projects', id: project.id } })
    expect((await api.request('GET', `projects/${project.id}`)).one().attributes['workspace-count']).toBe(1)
    expect((await api.request('DELETE', `projects/${project.id}`)).status).toBe(422)
  })

  it('200: the tag-bindings relationship replaces, an empty one removes all', async () => {
    const { id } = await api.newWorkspace(organization.name)
    const binding = (key: string, value: string) => ({ type: 'tag-bindings', attributes: { key, value } })
    await update(id, {}, { 'tag-bindings': { data: [binding('a', '1'), binding('b', '2')] } })
    const replaced = await update(id, {}, { 'tag-bindings': { data: [binding('b', '3'), binding('c', '4')] } })
    expect(replaced.one().attributes['tag-names']).toEqual(['b', 'c'])
    const emptied = await update(id, {}, { 'tag-bindings': { data: [] } })
    expect(emptied.one().attributes['tag-names']).toEqual([])
  })

  it('422: a name that is taken', async () => {
    const taken = await api.newWorkspace(organization.name)
    const { id } = await api.newWorkspace(organization.name)
    const { status, errors } = await update(id, { name: taken.attributes['name'] })
    expect(status).toBe(422)
    expect(errors[0]?.detail).toBe('Name has already been taken')
  })

  it('422: nothing changes when one of several values is refused', async () => {
    const { id } = await api.newWorkspace(organization.name)
    const before = await api.read(id)
    const { status } = await update(id, { description: 'new', 'working-directory': '../x' })
    expect(status).toBe(422)
    expect((await update(id, { description: 'new' }, { 'tag-bindings': { data: [{ attributes: { key: 'hc:x' } }] } })).status).toBe(422)
    expect(await api.read(id)).toEqual(before)
  })

  it('422: a project of another organization', async () => {
    const other = await api.newOrganization()
    const { id } = await api.newWorkspace(organization.name)
    expect((await update(id, {}, { project: { data: { type: 'projects', id: other.defaultProjectId } } })).status).toBe(422)
  })

  it('updated-at does not move on locks, variables, tags and what later slices write', async () => {
    const { id, attributes } = await api.newWorkspace(organization.name)
    clock.advance(1000)
    await api.request('POST', `workspaces/${id}/actions/lock`)
    await api.request('POST', `workspaces/${id}/vars`, { body: documentOf('vars', { key: 'a', category: 'env' }) })
    await api.request('POST', `workspaces/${id}/relationships/tags`, { body: { data: [{ type: 'tags', attributes: { name: 'a' } }] } })
    await api.request('POST', `workspaces/${id}/actions/unlock`)
    expect((await api.read(id)).attributes['updated-at']).toBe(attributes['updated-at'])
  })
})
