import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { variableSetEndpoints } from '../../../src/variable-sets/index.ts'
import { documentOf, type TestOrganization, testName } from '../../harness/api.ts'
import { makeWorkspaceApi, type WorkspaceApi } from '../../harness/workspaces.ts'

let api: WorkspaceApi
let organization: TestOrganization
beforeAll(async () => {
  api = await makeWorkspaceApi()
  organization = await api.newOrganization()
})
afterAll(() => api.drop())

type Links = Record<string, unknown>

const toMany = (type: string, ids: readonly string[]) => ({ data: ids.map((id) => ({ type, id })) })
const create = (attributes: Record<string, unknown> = {}, relationships?: Links, of = organization.name) =>
  api.request('POST', `organizations/${of}/varsets`, {
    body: documentOf('varsets', { name: testName('set'), ...attributes }, relationships),
  })
const newSet = async (attributes: Record<string, unknown> = {}, relationships?: Links) => {
  const { status, text, one } = await create(attributes, relationships)
  if (status !== 201) throw new Error(text)
  return one()
}
const read = async (id: string) => (await api.request('GET', `varsets/${id}`)).one()
const update = (id: string, attributes: Record<string, unknown>, relationships?: Links) =>
  api.request('PATCH', `varsets/${id}`, { body: documentOf('varsets', attributes, relationships) })
const addVariable = (set: string, attributes: Record<string, unknown>) =>
  api.request('POST', `varsets/${set}/relationships/vars`, {
    body: documentOf('vars', { key: 'k', category: 'terraform', value: 'v', ...attributes }),
  })
const newProject = async () =>
  (
    await api.request('POST', `organizations/${organization.name}/projects`, {
      body: documentOf('projects', { name: testName('project') }),
    })
  ).one().id
const newWorkspace = async (project?: string) => {
  const relationships = project === undefined ? undefined : { project: { data: { type: 'projects', id: project } } }
  const body = documentOf('workspaces', { name: testName('ws') }, relationships)
  return (await api.request('POST', `organizations/${organization.name}/workspaces`, { body })).one().id
}
const namesOf = async (path: string) => (await api.request('GET', path)).many().map(({ attributes }) => attributes['name'])
const pinned = (workspace: string) => api.db.transaction((tx) => api.variableSets.pinVariables(tx, workspace))
const idsIn = (resource: Awaited<ReturnType<typeof read>>, name: string): string[] => {
  const data = resource.relationships[name]?.data
  return Array.isArray(data) ? data.map(({ id }) => id) : []
}

describe('variable sets', () => {
  it('are created, read, listed, changed and deleted, and each change is told', async () => {
    const set = await newSet({ name: 'shared', description: 'for all', priority: true })
    expect(set).toMatchObject({
      type: 'varsets',
      id: expect.stringMatching(/^varset-/),
      attributes: { name: 'shared', description: 'for all', global: false, priority: true, 'var-count': 0, 'workspace-count': 0 },
      relationships: {
        organization: { data: { id: organization.name } },
        parent: { data: { type: 'organizations', id: organization.name } },
      },
    })
    expect(await read(set.id)).toEqual(set)
    expect(await namesOf(`organizations/${organization.name}/varsets?q=SHAR`)).toEqual(['shared'])
    expect(await namesOf(`organizations/${organization.name}/varsets?q=100%25`)).toEqual([])
    const changed = (await update(set.id, { name: 'renamed', description: null })).one()
    expect(changed.attributes).toMatchObject({ name: 'renamed', description: '', priority: true })
    expect((await api.request('DELETE', `varsets/${set.id}`)).status).toBe(204)
    expect((await api.request('GET', `varsets/${set.id}`)).status).toBe(404)
    const { events } = api.db.t
    const told = (await api.db.select().from(events).where(eq(events.subject, set.id))).map(({ type }) => type)
    expect(told).toEqual(['variable-set.created', 'variable-set.updated', 'variable-set.deleted'])
  })

  it('come with what they are applied to and with variables', async () => {
    const [workspace, project] = [await newWorkspace(), await newProject()]
    const vars = { data: [{ type: 'vars', attributes: { key: 'a', value: '1', category: 'env' } }] }
    const set = await newSet({}, { workspaces: toMany('workspaces', [workspace]), projects: toMany('projects', [project]), vars })
    expect(set.attributes).toMatchObject({ 'var-count': 1, 'workspace-count': 1, 'project-count': 1 })
    const embedded = await api.request('GET', `varsets/${set.id}?include=vars,workspaces,projects`)
    expect(embedded.included.map(({ type }) => type).toSorted()).toEqual(['projects', 'vars', 'workspaces'])
    const emptied = (await update(set.id, {}, { workspaces: toMany('workspaces', []) })).one()
    expect([idsIn(emptied, 'workspaces'), idsIn(emptied, 'projects')]).toEqual([[], [project]])
  })

  it('are applied and taken away by lists', async () => {
    const set = await newSet()
    const [one, other] = [await newWorkspace(), await newWorkspace()]
    const path = `varsets/${set.id}/relationships/workspaces`
    expect((await api.request('POST', path, { body: toMany('workspaces', [one, other]) })).status).toBe(204)
    expect((await api.request('POST', path, { body: toMany('workspaces', [one]) })).status).toBe(204)
    expect(idsIn(await read(set.id), 'workspaces').toSorted()).toEqual([one, other].toSorted())
    expect((await api.request('DELETE', path, { body: toMany('workspaces', [one]) })).status).toBe(204)
    expect(idsIn(await read(set.id), 'workspaces')).toEqual([other])
  })

  it('422: a taken name, a stranger workspace, a global one that is applied, a global one of a project, a foreign parent', async () => {
    const set = await newSet({ name: 'taken' })
    expect((await create({ name: 'taken' })).status).toBe(422)
    const elsewhere = (await api.newWorkspace((await api.newOrganization()).name)).id
    expect((await create({}, { workspaces: toMany('workspaces', [elsewhere]) })).status).toBe(422)
    const other = (await api.newOrganization()).name
    const global = (await create({ global: true }, undefined, other)).one()
    const workspace = (await api.newWorkspace(other)).id
    const apply = (id: string, ws: string) =>
      api.request('POST', `varsets/${id}/relationships/workspaces`, { body: toMany('workspaces', [ws]) })
    expect((await apply(global.id, workspace)).status).toBe(422)
    expect((await apply(set.id, elsewhere)).status).toBe(422)
    const parent = { data: { type: 'projects', id: await newProject() } }
    expect((await create({ global: true }, { parent })).status).toBe(422)
    expect((await create({}, { parent: { data: { type: 'organizations', id: 'elsewhere' } } })).status).toBe(422)
    expect((await create({}, { parent: { data: { type: 'projects', id: 'prj-1111111111111111' } } })).status).toBe(422)
  })

  it('a set of a project reaches workspaces of that project only, and stays behind when one moves away', async () => {
    const [project, other] = [await newProject(), await newProject()]
    const workspace = await newWorkspace(project)
    const set = await newSet({}, { parent: { data: { type: 'projects', id: project } } })
    await addVariable(set.id, { key: 'mine' })
    const apply = (ws: string) => api.request('POST', `varsets/${set.id}/relationships/workspaces`, { body: toMany('workspaces', [ws]) })
    expect((await apply(await newWorkspace(other))).status).toBe(422)
    expect((await apply(workspace)).status).toBe(204)
    expect(await namesOf(`workspaces/${workspace}/varsets`)).toEqual([set.attributes['name']])
    expect(await namesOf(`projects/${project}/varsets`)).toEqual([set.attributes['name']])
    await api.request('PATCH', `workspaces/${workspace}`, {
      body: documentOf('workspaces', {}, { project: { data: { type: 'projects', id: other } } }),
    })
    expect(await namesOf(`workspaces/${workspace}/varsets`)).toEqual([])
    expect(await pinned(workspace)).toEqual([])
  })

  it('two global sets of an organization do not have the same key: on creation, on a new variable, and when one becomes global', async () => {
    const { name } = await api.newOrganization()
    const vars = { data: [{ type: 'vars', attributes: { key: 'a', value: '1', category: 'env' } }] }
    const first = await create({ global: true }, { vars }, name)
    expect(first.status).toBe(201)
    expect((await create({ global: true }, { vars }, name)).status).toBe(422)
    const second = (await create({ global: true }, undefined, name)).one()
    expect((await addVariable(second.id, { key: 'a', category: 'env' })).status).toBe(422)
    expect((await addVariable(second.id, { key: 'a', category: 'terraform' })).status).toBe(201)
    const third = (await create({}, { vars }, name)).one()
    expect((await update(third.id, { global: true })).status).toBe(422)
    expect((await read(third.id)).attributes['global']).toBe(false)
    await api.request('DELETE', `varsets/${first.one().id}`)
    expect((await update(third.id, { global: true })).status).toBe(200)
  })

  it('lists of a workspace and of a project have the global ones', async () => {
    const { name } = await api.newOrganization()
    await create({ name: 'everywhere', global: true }, undefined, name)
    await create({ name: 'nowhere' }, undefined, name)
    const workspace = await api.newWorkspace(name)
    const project = workspace.relationships['project']?.data
    expect(await namesOf(`workspaces/${workspace.id}/varsets`)).toEqual(['everywhere'])
    expect(await namesOf(`projects/${Array.isArray(project) ? '' : project?.id}/varsets`)).toEqual(['everywhere'])
  })
})

describe('variables of a set', () => {
  it('follow the rules of those of workspaces', async () => {
    const set = await newSet()
    const created = await addVariable(set.id, { key: 'secret', value: 'canary-4711', sensitive: true })
    expect(created.status).toBe(201)
    expect(created.one()).toMatchObject({
      type: 'vars',
      attributes: { key: 'secret', value: null, sensitive: true },
      relationships: { varset: { data: { type: 'varsets', id: set.id } } },
    })
    const path = `varsets/${set.id}/relationships/vars`
    const one = `${path}/${created.one().id}`
    expect((await addVariable(set.id, { key: 'secret' })).errors[0]?.detail).toBe('Key has already been taken')
    expect((await addVariable(set.id, { key: 'no good' })).status).toBe(422)
    expect((await api.request('PATCH', one, { body: documentOf('vars', { sensitive: false }) })).status).toBe(422)
    const changed = await api.request('PATCH', one, { body: documentOf('vars', { value: 'canary-4712', description: 'd' }) })
    expect(changed.one().attributes).toMatchObject({ value: null, description: 'd' })
    expect(changed.one().attributes['version-id']).not.toBe(created.one().attributes['version-id'])
    expect((await api.request('GET', path)).many()).toEqual([changed.one()])
    expect((await api.request('GET', one)).one()).toEqual(changed.one())
    const { variableSetVariables, events } = api.db.t
    const [row] = await api.db.select().from(variableSetVariables).where(eq(variableSetVariables.id, created.one().id))
    expect(row?.valueSealed.includes('canary')).toBe(false)
    expect(JSON.stringify(await api.db.select().from(events))).not.toContain('canary')
    expect((await api.request('DELETE', one)).status).toBe(204)
    expect((await api.request('GET', one)).status).toBe(404)
  })

  it('reach runs and all-vars, the workspace before the set unless that has priority', async () => {
    const workspace = await newWorkspace()
    const weak = await newSet({}, { workspaces: toMany('workspaces', [workspace]) })
    const strong = await newSet({ priority: true }, { workspaces: toMany('workspaces', [workspace]) })
    await addVariable(weak.id, { key: 'a', value: 'weak' })
    await addVariable(weak.id, { key: 'b', value: '["weak"]', hcl: true })
    await addVariable(strong.id, { key: 'c', value: 'strong', sensitive: true })
    for (const key of ['a', 'c'])
      await api.request('POST', `workspaces/${workspace}/vars`, { body: documentOf('vars', { key, value: 'own', category: 'terraform' }) })
    expect(await pinned(workspace)).toEqual([
      { key: 'a', value: 'own', category: 'terraform', hcl: false, sensitive: false, priority: false },
      { key: 'c', value: 'strong', category: 'terraform', hcl: false, sensitive: true, priority: true },
      { key: 'b', value: '["weak"]', category: 'terraform', hcl: true, sensitive: false, priority: false },
    ])
    const shown = await api.request('GET', `workspaces/${workspace}/all-vars`)
    expect(shown.many().map(({ attributes }) => [attributes['key'], attributes['value']])).toEqual([
      ['a', 'own'],
      ['c', null],
      ['b', '["weak"]'],
    ])
    expect(shown.text).not.toContain('strong')
  })
})

describe('every endpoint', () => {
  const endpoints = variableSetEndpoints({} as WorkspaceApi['variableSets']).map(({ method, path }) => ({ method, path }))

  it.each(endpoints)('$method $path: 404 for a stranger', async ({ method, path }) => {
    const workspace = await newWorkspace()
    const set = await newSet({}, { workspaces: toMany('workspaces', [workspace]) })
    const variable = (await addVariable(set.id, {})).one()
    const { token } = await api.newUser()
    const id = path.includes('organizations/')
      ? organization.name
      : path.includes('/projects/:')
        ? organization.defaultProjectId
        : path.includes('/workspaces/:')
          ? workspace
          : set.id
    const bodies: Record<string, unknown> = {
      vars: documentOf('vars', { key: 'x', category: 'env' }),
      varsets: documentOf('varsets', { name: 'x' }),
      workspaces: toMany('workspaces', [workspace]),
      projects: toMany('projects', [organization.defaultProjectId]),
    }
    const kind = path.includes('relationships/vars') ? 'vars' : (/relationships\/(\w+)$/.exec(path)?.[1] ?? 'varsets')
    const address = path.replace(':id', id).replace(':variable', variable.id)
    const { status } = await api.request(method, address, { token, ...(method === 'GET' ? {} : { body: bodies[kind] }) })
    expect(status).toBe(404)
    expect((await read(set.id)).attributes['var-count']).toBe(1)
  })
})
