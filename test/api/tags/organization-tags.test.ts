import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestOrganization } from '../../harness/api.ts'
import { makeWorkspaceApi, type WorkspaceApi } from '../../harness/workspaces.ts'

let api: WorkspaceApi
let organization: TestOrganization
let ids: { one: string; two: string }
beforeAll(async () => {
  api = await makeWorkspaceApi()
})
afterAll(() => api.drop())

const linkage = (type: string, ...of: string[]) => ({ body: { data: of.map((id) => ({ type, id })) } })
const tag = (id: string, ...names: string[]) =>
  api.request('POST', `workspaces/${id}/relationships/tags`, {
    body: { data: names.map((name) => ({ type: 'tags', attributes: { name } })) },
  })
const list = (query = '', of = organization.name) => api.request('GET', `organizations/${of}/tags${query}`)
const names = async (query?: string, of?: string) => (await list(query, of)).many().map(({ attributes }) => attributes['name'])
const idOf = async (name: string) => (await list()).many().find(({ attributes }) => attributes['name'] === name)?.id ?? ''
const tagNames = async (id: string) => (await api.read(id)).attributes['tag-names']

beforeEach(async () => {
  organization = await api.newOrganization()
  const [one, two] = [await api.newWorkspace(organization.name), await api.newWorkspace(organization.name)]
  ids = { one: one.id, two: two.id }
  await tag(one.id, 'web', 'app')
  await tag(two.id, 'app', 'db_1')
})

describe('GET organizations/:organization/tags', () => {
  it('200: by name, with the number of workspaces and the organization', async () => {
    const { status, many } = await list()
    expect(status).toBe(200)
    expect(many().map(({ attributes }) => attributes)).toEqual([
      { name: 'app', 'instance-count': 2 },
      { name: 'db_1', 'instance-count': 1 },
      { name: 'web', 'instance-count': 1 },
    ])
    expect(many()[0]).toMatchObject({
      type: 'tags',
      relationships: { organization: { data: { type: 'organizations', id: organization.name } } },
    })
  })

  it('200: searched, without those of a workspace, and in pages', async () => {
    expect(await names('?q=B')).toEqual(['db_1', 'web'])
    expect(await names('?q=_')).toEqual(['db_1'])
    expect(await names(`?filter[exclude][taggable][id]=${ids.one}`)).toEqual(['db_1'])
    const { many, meta } = await list('?page[size]=2&page[number]=2')
    expect(many()).toHaveLength(1)
    expect(meta).toMatchObject({ pagination: { 'total-count': 3 } })
  })

  it('200: none of another organization, though a workspace there carries the same key', async () => {
    const other = await api.newOrganization()
    await tag((await api.newWorkspace(other.name)).id, 'app')
    expect(await names('', other.name)).toEqual(['app'])
    expect((await list('?q=app')).many()[0]?.attributes['instance-count']).toBe(2)
  })
})

describe('DELETE organizations/:organization/tags', () => {
  it('204: takes the tags from every workspace, their values too; unknown ids are no error', async () => {
    await api.request('PATCH', `workspaces/${ids.two}/tag-bindings`, {
      body: { data: [{ type: 'tag-bindings', attributes: { key: 'app', value: 'shop' } }] },
    })
    const gone = linkage('tags', await idOf('app'), await idOf('web'), 'tag-1111111111111111')
    expect((await api.request('DELETE', `organizations/${organization.name}/tags`, gone)).status).toBe(204)
    expect([await names(), await tagNames(ids.one), await tagNames(ids.two)]).toEqual([['db_1'], [], ['db_1']])
  })

  it('204: leaves the tags of another organization alone', async () => {
    const other = await api.newOrganization()
    const gone = linkage('tags', await idOf('app'))
    expect((await api.request('DELETE', `organizations/${other.name}/tags`, gone)).status).toBe(204)
    expect(await names()).toContain('app')
  })
})

describe('POST tags/:id/relationships/workspaces', () => {
  const add = async (name: string, ...of: string[]) =>
    api.request('POST', `tags/${await idOf(name)}/relationships/workspaces`, linkage('workspaces', ...of))

  it('204: adds the tag to each, and keeps what carries it already', async () => {
    expect((await add('web', ids.two, ids.one, ids.two)).status).toBe(204)
    expect([await tagNames(ids.one), await tagNames(ids.two)]).toEqual([
      ['web', 'app'],
      ['app', 'db_1', 'web'],
    ])
  })

  it('adds it to none when one is missing or of another organization', async () => {
    const stranger = await api.newWorkspace((await api.newOrganization()).name)
    expect((await add('web', ids.two, 'ws-1111111111111111')).status).toBe(404)
    expect((await add('web', ids.two, stranger.id)).status).toBe(422)
    expect([await tagNames(ids.two), await tagNames(stranger.id)]).toEqual([['app', 'db_1'], []])
  })

  it('404: no such tag', async () => {
    expect((await api.request('POST', 'tags/tag-1111111111111111/relationships/workspaces', linkage('workspaces', ids.one))).status).toBe(
      404,
    )
  })
})
