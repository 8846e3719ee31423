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

type Tag = { id?: string; name?: string }
const body = (tags: Tag[]) => ({
  data: tags.map(({ id, name }) => ({ type: 'tags', ...(id ? { id } : {}), ...(name ? { attributes: { name } } : {}) })),
})
const change = (method: string, id: string, tags: Tag[]) => api.request(method, `workspaces/${id}/relationships/tags`, { body: body(tags) })
const list = async (id: string, query = '') => (await api.request('GET', `workspaces/${id}/relationships/tags${query}`)).many()
const tagNames = async (id: string) => (await api.read(id)).attributes['tag-names']

describe('workspaces/:id/relationships/tags', () => {
  it('POST adds by name and by id, keeps the order of adding and the case, and changes nothing the second time', async () => {
    const one = await api.newWorkspace(organization.name)
    const two = await api.newWorkspace(organization.name)
    expect((await change('POST', one.id, [{ name: 'zeta' }, { name: 'Alpha' }])).status).toBe(204)
    const [zeta] = await list(one.id)
    expect(zeta).toMatchObject({ type: 'tags', id: expect.stringMatching(/^tag-/), attributes: { name: 'zeta' } })
    expect((await change('POST', two.id, [{ name: 'first' }, { id: zeta?.id ?? '' }])).status).toBe(204)
    expect((await change('POST', two.id, [{ name: 'zeta' }, { name: 'first' }])).status).toBe(204)
    expect(await tagNames(one.id)).toEqual(['zeta', 'Alpha'])
    expect(await tagNames(two.id)).toEqual(['first', 'zeta'])
    expect((await list(two.id)).map(({ id }) => id)).toContain(zeta?.id)
  })

  it('DELETE removes by name and by id; what is not there is no error', async () => {
    const { id } = await api.newWorkspace(organization.name)
    await change('POST', id, [{ name: 'tag1' }, { name: 'tag2' }, { name: 'tag3' }])
    const tag2 = (await list(id)).find(({ attributes }) => attributes['name'] === 'tag2')
    expect((await change('DELETE', id, [{ name: 'tag1' }, { id: tag2?.id ?? '' }])).status).toBe(204)
    expect((await change('DELETE', id, [{ name: 'NonExistentTag' }, { id: 'tag-1111111111111111' }])).status).toBe(204)
    expect(await tagNames(id)).toEqual(['tag3'])
  })

  it('GET is paginated and searches', async () => {
    const { id } = await api.newWorkspace(organization.name)
    await change('POST', id, [{ name: 'b1' }, { name: 'a1' }, { name: 'a2' }])
    expect((await list(id)).map(({ attributes }) => attributes['name'])).toEqual(['b1', 'a1', 'a2'])
    expect((await list(id, '?name=A')).map(({ attributes }) => attributes['name'])).toEqual(['a1', 'a2'])
    const { many, meta } = await api.request('GET', `workspaces/${id}/relationships/tags?page[size]=2&page[number]=2`)
    expect(many()).toHaveLength(1)
    expect(meta).toMatchObject({ pagination: { 'total-count': 3 } })
  })

  it('a tag exists as long as some workspace of the organization carries it', async () => {
    const one = await api.newWorkspace(organization.name)
    const two = await api.newWorkspace(organization.name)
    const { tags } = api.db.t
    const known = () => api.db.$count(tags, eq(tags.name, 'shared'))
    await change('POST', one.id, [{ name: 'shared' }])
    await change('POST', two.id, [{ name: 'shared' }])
    await change('DELETE', one.id, [{ name: 'shared' }])
    expect(await known()).toBe(1)
    await change('DELETE', two.id, [{ name: 'shared' }])
    expect(await known()).toBe(0)
  })

  it('many workspaces tag and untag at once, and the rows stay in step', async () => {
    const workspaces = await Promise.all([1, 2, 3, 4].map(() => api.newWorkspace(organization.name)))
    await Promise.all(
      workspaces.flatMap(({ id }) => ['POST', 'DELETE', 'POST'].map((method) => change(method, id, [{ name: 'busy' }, { name: 'calm' }]))),
    )
    const { tagBindings, tags } = api.db.t
    for (const name of ['busy', 'calm']) {
      const carried = await api.db.$count(tagBindings, eq(tagBindings.key, name))
      expect(await api.db.$count(tags, eq(tags.name, name))).toBe(carried > 0 ? 1 : 0)
    }
  })

  it.each([
    ['no name', [{}]],
    ['a space', [{ name: 'a b' }]],
    ['too long', [{ name: 'a'.repeat(256) }]],
    ['reserved', [{ name: 'hcp:x' }]],
    ['an unknown id', [{ id: 'tag-1111111111111111' }]],
    ['too many', Array.from({ length: 101 }, (_, n) => ({ name: `t${n}` }))],
  ])('422: %s', async (_, tags) => {
    const { id } = await api.newWorkspace(organization.name)
    expect((await change('POST', id, [{ name: 'good' }, ...tags])).status).toBe(422)
    expect(await tagNames(id)).toEqual([])
  })

  it('422: the id of a tag of another organization', async () => {
    const other = await api.newOrganization()
    const theirs = await api.newWorkspace(other.name)
    await change('POST', theirs.id, [{ name: 'theirs' }])
    const [tag] = await list(theirs.id)
    const { id } = await api.newWorkspace(organization.name)
    expect((await change('POST', id, [{ id: tag?.id ?? '' }])).status).toBe(422)
  })
})

describe('tag bindings', () => {
  const patch = (id: string, bindings: { key: string; value?: string | null }[]) =>
    api.request('PATCH', `workspaces/${id}/tag-bindings`, {
      body: { data: bindings.map((attributes) => ({ type: 'tag-bindings', attributes })) },
    })
  const pairs = async (id: string, path = 'tag-bindings') =>
    (await api.request('GET', `workspaces/${id}/${path}`)).many().map(({ attributes }) => [attributes['key'], attributes['value']])

  it('PATCH adds and changes, removes nothing, and answers the list in the order of adding', async () => {
    const { id } = await api.newWorkspace(organization.name)
    const first = await patch(id, [
      { key: 'foo', value: 'bar' },
      { key: 'baz', value: 'qux' },
    ])
    expect(first.status).toBe(200)
    expect(first.many()).toMatchObject([
      { type: 'tag-bindings', attributes: { key: 'foo', value: 'bar' } },
      { type: 'tag-bindings', attributes: { key: 'baz', value: 'qux' } },
    ])
    const second = await patch(id, [{ key: 'new' }, { key: 'foo', value: 'other' }])
    expect(second.many().map(({ attributes }) => attributes)).toEqual([
      { key: 'foo', value: 'other' },
      { key: 'baz', value: 'qux' },
      { key: 'new', value: '' },
    ])
    expect(await pairs(id)).toEqual([
      ['foo', 'other'],
      ['baz', 'qux'],
      ['new', ''],
    ])
    expect(await pairs(id, 'effective-tag-bindings')).toEqual(await pairs(id))
  })

  it('a key without a value keeps the value there is; an empty one clears it', async () => {
    const { id } = await api.newWorkspace(organization.name)
    await patch(id, [{ key: 'env', value: 'prod' }])
    await patch(id, [{ key: 'env' }])
    expect(await pairs(id)).toEqual([['env', 'prod']])
    await patch(id, [{ key: 'env', value: '' }])
    expect(await pairs(id)).toEqual([['env', '']])
  })

  it('effective ones have no links: they are not inherited', async () => {
    const { id } = await api.newWorkspace(organization.name)
    await patch(id, [{ key: 'env', value: 'prod' }])
    const [binding] = (await api.request('GET', `workspaces/${id}/effective-tag-bindings`)).many()
    expect(binding).toMatchObject({ type: 'effective-tag-bindings' })
    expect(binding).not.toHaveProperty('links')
  })

  it('422: more than ten, though flat tags may be more', async () => {
    const { id } = await api.newWorkspace(organization.name)
    const eleven = Array.from({ length: 11 }, (_, n) => ({ key: `k${n}` }))
    const { status, errors } = await patch(id, eleven)
    expect(status).toBe(422)
    expect(errors[0]?.detail).toBe('cannot exceed 10 bindings per resource')
    expect(
      (
        await change(
          'POST',
          id,
          eleven.map(({ key }) => ({ name: key })),
        )
      ).status,
    ).toBe(204)
    expect((await patch(id, [{ key: 'k3', value: 'x' }])).status).toBe(200)
  })

  it.each([
    ['no key', { key: '' }],
    ['a space', { key: 'a b' }],
    ['too long a key', { key: 'k'.repeat(129) }],
    ['too long a value', { key: 'k', value: 'v'.repeat(257) }],
    ['a value with a space', { key: 'k', value: 'a b' }],
    ['a reserved key', { key: 'hc:k' }],
  ])('422: %s', async (_, binding) => {
    const { id } = await api.newWorkspace(organization.name)
    expect((await patch(id, [binding])).status).toBe(422)
  })
})

/** The decision of terraform 1.11 whether to send tags again at the next command. */
const wouldPatch = async (id: string, configured: { key: string; value?: string }[]): Promise<boolean> => {
  const names = (await tagNames(id)) as string[]
  const bindings = (await api.request('GET', `workspaces/${id}/tag-bindings`)).many().map(({ attributes }) => attributes)
  return configured.some(({ key, value }) =>
    value === undefined
      ? !names.includes(key) || !bindings.some((binding) => binding['key'] === key)
      : !bindings.some((binding) => binding['key'] === key && binding['value'] === value),
  )
}

describe('terraform init', () => {
  it('R054: a set of tags: created with flat tags, the second init sends no PATCH', async () => {
    const relationships = {
      tags: {
        data: [
          { type: 'tags', attributes: { name: 'App' } },
          { type: 'tags', attributes: { name: 'prod' } },
        ],
      },
    }
    const { one } = await api.request('POST', `organizations/${organization.name}/workspaces`, {
      body: documentOf('workspaces', { name: 'set' }, relationships),
    })
    expect(await wouldPatch(one().id, [{ key: 'App' }, { key: 'prod' }])).toBe(false)
    expect((await api.request('GET', `organizations/${organization.name}/workspaces?search[tags]=App,prod`)).many()).toHaveLength(1)
  })

  it('R054: a map of tags: created with bindings, the second init sends no PATCH', async () => {
    const relationships = { 'tag-bindings': { data: [{ type: 'tag-bindings', attributes: { key: 'team', value: 'net' } }] } }
    const { one } = await api.request('POST', `organizations/${organization.name}/workspaces`, {
      body: documentOf('workspaces', { name: 'map' }, relationships),
    })
    expect(await wouldPatch(one().id, [{ key: 'team', value: 'net' }])).toBe(false)
  })

  it('an existing workspace: one PATCH settles it, also where a key has a value already', async () => {
    const { id } = await api.newWorkspace(organization.name)
    const patch = (attributes: Record<string, string>) =>
      api.request('PATCH', `workspaces/${id}/tag-bindings`, { body: { data: [{ type: 'tag-bindings', attributes }] } })
    await patch({ key: 'a', value: '1' })
    expect(await wouldPatch(id, [{ key: 'a' }])).toBe(false)
    expect(await wouldPatch(id, [{ key: 'a', value: '2' }])).toBe(true)
    await patch({ key: 'a', value: '2' })
    expect(await wouldPatch(id, [{ key: 'a', value: '2' }])).toBe(false)
  })
})
