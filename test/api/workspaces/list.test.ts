import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testName, type TestOrganization } from '../../harness/api.ts'
import { makeWorkspaceApi, type WorkspaceApi } from '../../harness/workspaces.ts'

let api: WorkspaceApi
let organization: TestOrganization
let projectId: string
/** By short name: the names in the organization are the short names. */
const ids: Record<string, string> = {}

const tagged: Record<string, [key: string, value?: string][]> = {
  'app-prod': [['app'], ['prod'], ['env', 'production']],
  'app-dev': [['app'], ['env', 'development']],
  db_prod: [['prod'], ['tier', 'gold']],
  'Net-100': [],
}

beforeAll(async () => {
  api = await makeWorkspaceApi()
  organization = await api.newOrganization()
  const project = await api.request('POST', `organizations/${organization.name}/projects`, {
    body: { data: { type: 'projects', attributes: { name: testName('prj') } } },
  })
  projectId = project.one().id
  for (const [name, bindings] of Object.entries(tagged)) {
    const body = {
      data: {
        type: 'workspaces',
        attributes: { name },
        relationships: {
          'tag-bindings': { data: bindings.map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } })) },
          ...(name === 'db_prod' ? { project: { data: { type: 'projects', id: projectId } } } : {}),
        },
      },
    }
    const { one } = await api.request('POST', `organizations/${organization.name}/workspaces`, { body })
    ids[name] = one().id
  }
  const other = await api.newOrganization()
  await api.newWorkspace(other.name, { name: 'app-prod' })

  const run = async (name: string, status: 'applied' | 'planning', createdAt: Date) => {
    const id = ids[name] ?? ''
    const currentRunId = await api.newRun({ id, organizationId: organization.id }, { status, createdAt })
    await api.setWorkspace(id, { currentRunId, latestChangeAt: createdAt })
  }
  await run('app-prod', 'applied', new Date('2030-01-02T00:00:00Z'))
  await run('app-dev', 'planning', new Date('2030-01-01T00:00:00Z'))
})
afterAll(() => api.drop())

const list = (query: string) => api.request('GET', `organizations/${organization.name}/workspaces?${query}`)
const names = async (query: string) =>
  (await list(query.includes('sort=') ? query : `sort=name&${query}`)).many().map(({ attributes }) => attributes['name'])

describe('GET organizations/:organization/workspaces', () => {
  it.each([
    ['nothing', '', ['app-dev', 'app-prod', 'db_prod', 'Net-100']],
    ['part of a name', 'search[name]=PROD', ['app-prod', 'db_prod']],
    ['part of a name that is a wildcard in SQL', 'search[name]=_', ['db_prod']],
    ['another one', 'search[name]=%25', []],
    ['and another one', 'search[name]=\\', []],
    ['a wildcard at the beginning', 'search[wildcard-name]=*-prod', ['app-prod']],
    ['a wildcard at the end', 'search[wildcard-name]=app-*', ['app-dev', 'app-prod']],
    ['a wildcard at both ends', 'search[wildcard-name]=*e*', ['app-dev', 'Net-100']],
    ['no wildcard', 'search[wildcard-name]=app', []],
    ['one tag', 'search[tags]=app', ['app-dev', 'app-prod']],
    ['all of several tags', 'search[tags]=app,prod', ['app-prod']],
    ['a key with a value', 'search[tags]=env', ['app-dev', 'app-prod']],
    ['tags in another case', 'search[tags]=APP', []],
    ['none of a tag', 'search[exclude-tags]=app', ['db_prod', 'Net-100']],
    ['none of several tags', 'search[exclude-tags]=app,prod', ['Net-100']],
    ['tags and none of others', 'search[tags]=prod&search[exclude-tags]=app', ['db_prod']],
    ['an empty filter', 'search[tags]=&filter[project][id]=&search[name]=', ['app-dev', 'app-prod', 'db_prod', 'Net-100']],
    ['a key', 'filter[tagged][0][key]=env', ['app-dev', 'app-prod']],
    ['a key and its value', 'filter[tagged][0][key]=env&filter[tagged][0][value]=production', ['app-prod']],
    ['a value of another key', 'filter[tagged][0][key]=tier&filter[tagged][0][value]=production', []],
    [
      'two keys, the values first',
      'filter[tagged][1][value]=production&filter[tagged][0][key]=app&filter[tagged][1][key]=env',
      ['app-prod'],
    ],
    [
      'what terraform sends for a map of tags',
      'filter%5Btagged%5D%5B0%5D%5Bkey%5D=env&filter%5Btagged%5D%5B0%5D%5Bvalue%5D=production&search%5Btags%5D=env&TagBindings=%7B+env+production%7D&TagBindings=junk',
      ['app-prod'],
    ],
    ['the status of the current run', 'filter[current-run][status]=applied', ['app-prod']],
    ['several statuses', 'filter[current-run][status]=applied,planning', ['app-dev', 'app-prod']],
    ['the name backwards', 'sort=-name', ['Net-100', 'db_prod', 'app-prod', 'app-dev']],
    ['the newest change first', 'sort=-latest-change-at&search[name]=app', ['app-prod', 'app-dev']],
    ['the current run, none last', 'sort=current-run.created-at&search[exclude-tags]=tier', ['app-dev', 'app-prod', 'Net-100']],
    ['the current run backwards, none last', 'sort=-current-run.created-at&search[exclude-tags]=tier', ['app-prod', 'app-dev', 'Net-100']],
  ])('200: by %s', async (_, query, expected) => {
    const { status, meta } = await list(query)
    expect(status).toBe(200)
    expect(await names(query)).toEqual(expected)
    expect(meta).toMatchObject({ pagination: { 'total-count': expected.length } })
  })

  it('200: in the order of creation unless asked otherwise', async () => {
    expect((await list('')).many().map(({ attributes }) => attributes['name'])).toEqual(Object.keys(tagged))
  })

  it('200: by project', async () => {
    expect(await names(`filter[project][id]=${projectId}`)).toEqual(['db_prod'])
    expect(await names(`filter[project][id]=${projectId},${organization.defaultProjectId}`)).toHaveLength(4)
    expect(await names('filter[project][id]=prj-1111111111111111')).toEqual([])
  })

  it('200: pages, and the true total past the end', async () => {
    const second = await list('sort=name&page[size]=3&page[number]=2')
    expect(second.many().map(({ id }) => id)).toEqual([ids['Net-100']])
    expect(second.meta).toEqual({
      pagination: { 'current-page': 2, 'page-size': 3, 'prev-page': 1, 'next-page': null, 'total-pages': 2, 'total-count': 4 },
    })
    const beyond = await list('page[number]=999&page[size]=100')
    expect(beyond.many()).toEqual([])
    expect(beyond.meta).toMatchObject({ pagination: { 'current-page': 999, 'total-count': 4 } })
  })

  it('200: the members are what reading each gives', async () => {
    const members = (await list('')).many()
    for (const member of members) expect(member).toEqual(await api.read(member.id))
  })

  it('200: include works on lists', async () => {
    const { included } = await list('include=organization,effective_tag_bindings,project')
    expect(included.filter(({ type }) => type === 'organizations')).toHaveLength(1)
    expect(included.filter(({ type }) => type === 'projects')).toHaveLength(2)
    expect(included.filter(({ type }) => type === 'effective-tag-bindings')).toHaveLength(7)
  })

  it.each([
    ['an unknown order', 'sort=color'],
    ['too long a name', `search[name]=${'a'.repeat(201)}`],
    ['too many tags', `search[tags]=${Array.from({ length: 101 }, (_, n) => `t${n}`).join(',')}`],
    ['too many tag filters', Array.from({ length: 51 }, (_, n) => `filter[tagged][${n}][key]=a`).join('&')],
    ['an unknown include', 'include=secrets'],
  ])('400: %s', async (_, query) => {
    expect((await list(query)).status).toBe(400)
  })

  it('404: strangers, and organizations that do not exist', async () => {
    const { token } = await api.newUser()
    expect((await api.request('GET', `organizations/${organization.name}/workspaces`, { token })).status).toBe(404)
    expect((await api.request('GET', 'organizations/nonexisting/workspaces')).status).toBe(404)
  })
})
