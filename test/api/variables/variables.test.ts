import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, type TestOrganization } from '../../harness/api.ts'
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

const newWorkspace = async () => (await api.newWorkspace(organization.name)).id
const create = (workspace: string, attributes: Record<string, unknown>) => {
  clock.advance(1)
  return api.request('POST', `workspaces/${workspace}/vars`, { body: documentOf('vars', attributes) })
}
const update = (workspace: string, id: string, attributes: Record<string, unknown>) =>
  api.request('PATCH', `workspaces/${workspace}/vars/${id}`, { body: documentOf('vars', attributes) })
const read = async (workspace: string, id: string) => (await api.request('GET', `workspaces/${workspace}/vars/${id}`)).one()
const list = async (workspace: string, path = 'vars') => (await api.request('GET', `workspaces/${workspace}/${path}`)).many()

describe('POST workspaces/:id/vars', () => {
  it('201: create, read and both lists answer the same, and the workspace links it', async () => {
    const workspace = await newWorkspace()
    const attributes = { key: 'region', value: 'eu-central-1\nmehr "Text" ${x}', category: 'terraform', hcl: true, description: 'where' }
    const { status, one } = await create(workspace, attributes)
    expect(status).toBe(201)
    expect(one()).toMatchObject({
      type: 'vars',
      id: expect.stringMatching(/^var-/),
      attributes: { ...attributes, sensitive: false, 'version-id': expect.stringMatching(/./) },
      relationships: { configurable: { data: { type: 'workspaces', id: workspace } } },
      links: { self: `/api/v2/workspaces/${workspace}/vars/${one().id}` },
    })
    expect(await read(workspace, one().id)).toEqual(one())
    expect(await list(workspace)).toEqual([one()])
    expect(await list(workspace, 'all-vars')).toEqual([one()])
    expect((await api.read(workspace)).relationships['vars']).toEqual({ data: [{ type: 'vars', id: one().id }] })
  })

  it('201: a missing value is an empty one', async () => {
    const workspace = await newWorkspace()
    expect((await create(workspace, { key: 'a', category: 'env' })).one().attributes).toMatchObject({
      value: '',
      description: '',
      hcl: false,
    })
    expect((await create(workspace, { key: 'b', category: 'env', value: null, description: null })).one().attributes['value']).toBe('')
  })

  it('201: the value of a sensitive one is shown to nobody and stands in no column', async () => {
    const workspace = await newWorkspace()
    const secret = 'correct-horse-battery-staple'
    const { one, text } = await create(workspace, { key: 'password', value: secret, category: 'env', sensitive: true })
    expect(one().attributes).toMatchObject({ value: null, sensitive: true })
    expect(text).not.toContain(secret)
    expect(JSON.stringify([await read(workspace, one().id), await list(workspace), await list(workspace, 'all-vars')])).not.toContain(
      secret,
    )
    const { variables, events } = api.db.t
    const [row] = await api.db.select().from(variables).where(eq(variables.id, one().id))
    expect(row?.valueSealed.includes(secret)).toBe(false)
    expect(JSON.stringify(await api.db.select().from(events))).not.toContain(secret)
  })

  it('201: values of variables that are not sensitive are sealed as well', async () => {
    const workspace = await newWorkspace()
    const { one } = await create(workspace, { key: 'plain', value: 'in the clear', category: 'env' })
    const { variables } = api.db.t
    const [row] = await api.db.select().from(variables).where(eq(variables.id, one().id))
    expect(row?.valueSealed.includes('in the clear')).toBe(false)
  })

  it.each([
    ['terraform', 'instance_type'],
    ['terraform', 'größe-2'],
    ['terraform', '0a1b2c3d-4e5f-6789-abcd-ef0123456789'],
    ['env', 'AWS_REGION'],
    ['env', 'my.dotted-name'],
  ])('201: %s key %s', async (category, key) => {
    expect((await create(await newWorkspace(), { key, category })).status).toBe(201)
  })

  it('201: one key in both categories', async () => {
    const workspace = await newWorkspace()
    expect((await create(workspace, { key: 'same', category: 'env' })).status).toBe(201)
    expect((await create(workspace, { key: 'same', category: 'terraform' })).status).toBe(201)
  })

  it('422: the key is taken', async () => {
    const workspace = await newWorkspace()
    await create(workspace, { key: 'a', category: 'env' })
    const { status, errors } = await create(workspace, { key: 'a', category: 'env' })
    expect(status).toBe(422)
    expect(errors).toEqual([
      { status: '422', title: 'invalid attribute', detail: 'Key has already been taken', source: { pointer: '/data/attributes/key' } },
    ])
  })

  it.each([
    ['no key', { category: 'env' }, /^Key can't be blank$/],
    ['an empty key', { key: '', category: 'env' }, /^Key can't be blank$/],
    ['no category', { key: 'a' }, /^Category must be terraform or env$/],
    ['an unknown category', { key: 'a', category: 'policy-set' }, /^Category must be terraform or env$/],
    ['a terraform key with a space', { key: 'a b', category: 'terraform' }, /^Key may only contain/],
    ['a terraform key with a dot', { key: 'a.b', category: 'terraform' }, /^Key may only contain/],
    ['an env key with =', { key: 'A=B', category: 'env' }, /^Key may not contain/],
    ['an env key with a newline', { key: 'A\nB', category: 'env' }, /^Key may not contain/],
    ['too long a key', { key: 'a'.repeat(129), category: 'env' }, /^Key is too long/],
    ['too long a description', { key: 'a', category: 'env', description: 'd'.repeat(513) }, /^Description is too long/],
    ['too long a value', { key: 'a', category: 'env', value: 'v'.repeat(262_145) }, /^Value is too long/],
    ['a number as value', { key: 'a', category: 'env', value: 1 }, /^Value must be a string$/],
    ['a NUL character', { key: 'a', category: 'env', value: 'a\0b' }, /zero byte/],
  ])('422: %s', async (_, attributes, detail) => {
    const workspace = await newWorkspace()
    const { status, errors } = await create(workspace, attributes)
    expect(status).toBe(422)
    expect(errors[0]?.detail).toMatch(detail)
    expect(await list(workspace)).toEqual([])
  })
})

describe('PATCH workspaces/:id/vars/:variable', () => {
  it('200: absent stays, null clears, and the version id changes each time', async () => {
    const workspace = await newWorkspace()
    const made = (await create(workspace, { key: 'a', value: '1', category: 'terraform', hcl: true, description: 'd' })).one()
    const renamed = (await update(workspace, made.id, { key: 'b' })).one()
    expect(renamed.attributes).toMatchObject({ key: 'b', value: '1', hcl: true, description: 'd', category: 'terraform' })
    const cleared = (await update(workspace, made.id, { value: null, description: null, hcl: null })).one()
    expect(cleared.attributes).toMatchObject({ key: 'b', value: '', hcl: false, description: '' })
    const versions = [made, renamed, cleared].map(({ attributes }) => attributes['version-id'])
    expect(new Set(versions).size).toBe(3)
    expect(await read(workspace, made.id)).toEqual(cleared)
  })

  it.each([[{ data: { type: 'vars' } }], [undefined], [documentOf('vars')]])('200: the version id changes with %j too', async (body) => {
    const workspace = await newWorkspace()
    const made = (await create(workspace, { key: 'a', value: '1', category: 'env' })).one()
    const { status, one } = await api.request('PATCH', `workspaces/${workspace}/vars/${made.id}`, { body })
    expect(status).toBe(200)
    expect(one().attributes['version-id']).not.toBe(made.attributes['version-id'])
    expect({ ...one().attributes, 'version-id': '' }).toEqual({ ...made.attributes, 'version-id': '' })
  })

  it('200: a sensitive one may change its category, hcl, description and value, and keeps the value otherwise', async () => {
    const workspace = await newWorkspace()
    const made = (await create(workspace, { key: 'a', value: 'secret', category: 'terraform' })).one()
    expect((await update(workspace, made.id, { sensitive: true })).one().attributes).toMatchObject({ sensitive: true, value: null })
    const changed = await update(workspace, made.id, { key: 'a', category: 'env', description: 'd', sensitive: true })
    expect(changed.one().attributes).toMatchObject({ category: 'env', description: 'd', value: null })
    expect(await pinned(workspace)).toEqual([{ key: 'a', value: 'secret', category: 'env', hcl: false, sensitive: true, priority: false }])
    await update(workspace, made.id, { value: 'other' })
    expect(await pinned(workspace)).toMatchObject([{ value: 'other' }])
  })

  it('422: a sensitive one becomes readable or another', async () => {
    const workspace = await newWorkspace()
    const { id } = (await create(workspace, { key: 'a', value: 'secret', category: 'env', sensitive: true })).one()
    for (const attributes of [{ sensitive: false }, { key: 'b' }]) expect((await update(workspace, id, attributes)).status).toBe(422)
    expect((await read(workspace, id)).attributes).toMatchObject({ key: 'a', value: null, sensitive: true })
  })

  it('422: the key is taken, also by a change of category', async () => {
    const workspace = await newWorkspace()
    const { id } = (await create(workspace, { key: 'a', category: 'env' })).one()
    await create(workspace, { key: 'b', category: 'env' })
    await create(workspace, { key: 'a', category: 'terraform' })
    for (const attributes of [{ key: 'b' }, { category: 'terraform' }]) {
      const { status, errors } = await update(workspace, id, attributes)
      expect(status).toBe(422)
      expect(errors[0]?.detail).toBe('Key has already been taken')
    }
  })

  it('422: a key that does not fit the new category', async () => {
    const workspace = await newWorkspace()
    const { id } = (await create(workspace, { key: 'a.b', category: 'env' })).one()
    expect((await update(workspace, id, { category: 'terraform' })).status).toBe(422)
  })
})

describe('DELETE workspaces/:id/vars/:variable', () => {
  it('204, and gone', async () => {
    const workspace = await newWorkspace()
    const { id } = (await create(workspace, { key: 'a', category: 'env' })).one()
    expect((await api.request('DELETE', `workspaces/${workspace}/vars/${id}`)).status).toBe(204)
    expect((await api.request('DELETE', `workspaces/${workspace}/vars/${id}`)).status).toBe(404)
    expect(await list(workspace)).toEqual([])
  })
})

describe('a variable of another workspace', () => {
  it.each(['GET', 'PATCH', 'DELETE'])('404: %s', async (method) => {
    const workspace = await newWorkspace()
    const { id } = (await create(workspace, { key: 'a', category: 'env' })).one()
    const other = await newWorkspace()
    expect((await api.request(method, `workspaces/${other}/vars/${id}`)).status).toBe(404)
    expect((await api.request(method, `workspaces/${other}/vars/nonexisting`)).status).toBe(404)
  })
})

describe('pinVariables', () => {
  it('gives all values, oldest first, and can be written as JSON', async () => {
    const workspace = await newWorkspace()
    await create(workspace, { key: 'b', value: '["x"]', category: 'terraform', hcl: true })
    await create(workspace, { key: 'A', value: 'é\n"$', category: 'env', sensitive: true })
    const variables = await pinned(workspace)
    expect(variables).toEqual([
      { key: 'b', value: '["x"]', category: 'terraform', hcl: true, sensitive: false, priority: false },
      { key: 'A', value: 'é\n"$', category: 'env', hcl: false, sensitive: true, priority: false },
    ])
    expect(JSON.parse(JSON.stringify(variables))).toEqual(variables)
  })
})

const pinned = (workspace: string) => api.db.transaction((tx) => api.variableSets.pinVariables(tx, workspace))
