import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StateApi, type TestWorkspace, makeStateApi, resourceOf, stateBytes } from './state-api.ts'

let api: StateApi
let workspace: TestWorkspace
let ids: string[]
const states = [1, 2, 3].map((serial) => stateBytes({ serial, outputs: { serial: { value: serial, type: 'number' } } }))

beforeAll(async () => {
  api = await makeStateApi()
  workspace = await api.newWorkspace()
  ids = []
  for (const bytes of states) ids.push(await api.push(workspace, bytes))
})
afterAll(() => api.drop())

const listPath = (name = workspace.name, organization = workspace.organization) =>
  `state-versions?filter[organization][name]=${organization}&filter[workspace][name]=${name}`

describe('list', () => {
  it('is newest first, in pages', async () => {
    const all = await api.request('GET', listPath())
    expect(all.many().map(({ id }) => id)).toEqual([...ids].reverse())
    expect(all.meta).toMatchObject({ pagination: { 'current-page': 1, 'total-count': 3 } })
    const second = await api.request('GET', `${listPath()}&page[size]=2&page[number]=2`)
    expect(second.many().map(({ id }) => id)).toEqual([ids[0]])
    const beyond = await api.request('GET', `${listPath()}&page[number]=999`)
    expect(beyond.many()).toEqual([])
    expect(beyond.meta).toMatchObject({ pagination: { 'current-page': 999, 'total-count': 3 } })
    expect((await api.request('GET', `workspaces/${workspace.id}/state-versions`)).many()).toHaveLength(3)
  })

  it('filters by status; what was discarded is shown only then', async () => {
    const other = await api.newWorkspace()
    await api.lock(other)
    for (const bytes of states.slice(0, 2)) await api.create(other, bytes)
    const statuses = async (filter = '') => {
      const answer = await api.request('GET', `${listPath(other.name, other.organization)}${filter}`)
      return answer.many().map(({ attributes }) => [attributes['serial'], attributes['status'], attributes['intermediate']])
    }
    expect(await statuses()).toEqual([
      [2, 'finalized', true],
      [1, 'finalized', true],
    ])
    await api.unlock(other)
    await api.lock(other)
    await api.createPending(other, stateBytes({ serial: 3 }))
    expect(await statuses()).toEqual([
      [3, 'pending', true],
      [2, 'finalized', false],
    ])
    expect(await statuses('&filter[status]=discarded')).toEqual([[1, 'discarded', true]])
    expect(await statuses('&filter[status]=pending,discarded')).toHaveLength(2)
    expect((await api.request('GET', `${listPath()}&filter[status]=odd`)).status).toBe(400)
  })

  it('needs both names', async () => {
    for (const query of [
      '',
      '?filter[workspace][name]=x',
      '?filter[organization][name]=x',
      '?filter[organization][name]=x&filter[workspace][name]=',
    ]) {
      expect((await api.request('GET', `state-versions${query}`)).status).toBe(400)
    }
    expect((await api.request('GET', listPath('no-such-workspace'))).status).toBe(404)
  })
})

describe('read', () => {
  it('gives the current one, the last one unlocked', async () => {
    expect((await api.request('GET', `workspaces/${workspace.id}/current-state-version`)).one().id).toBe(ids[2])
    const empty = await api.newWorkspace()
    expect((await api.request('GET', `workspaces/${empty.id}/current-state-version`)).status).toBe(404)
  })

  it('R018: asks the client for snapshots during a local apply, in every answer, a 404 too', async () => {
    const empty = await api.newWorkspace()
    for (const path of [
      `workspaces/${workspace.id}/current-state-version`,
      `workspaces/${empty.id}/current-state-version`,
      `state-versions/${ids[0]}`,
    ]) {
      expect((await api.request('GET', path)).headers.get('x-terraform-snapshot-interval')).toBe('20')
    }
  })

  it('downloads the bytes, and not with a changed URL', async () => {
    const url = String((await api.request('GET', `state-versions/${ids[0]}`)).one().attributes['hosted-state-download-url'])
    expect(await api.download(url)).toEqual({ status: 200, bytes: states[0] })
    expect((await api.download(`${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`)).status).toBe(404)
    const redirected = await api.app.request(`${api.publicUrl}/api/v2/state-versions/${ids[0]}/download`, {
      headers: { authorization: `Bearer ${api.admin.token}` },
    })
    expect(redirected.status).toBe(302)
    expect((await api.download(redirected.headers.get('location'))).bytes).toEqual(states[0])
  })

  it('includes outputs, creator and workspace', async () => {
    const answer = await api.request('GET', `state-versions/${ids[2]}?include=outputs,created_by,workspace`)
    expect(answer.included.map(({ type }) => type).sort()).toEqual(['state-version-outputs', 'users', 'workspaces'])
    expect(answer.included.find(({ type }) => type === 'state-version-outputs')?.attributes['value']).toBe(3)
    const refused = await api.request('GET', `state-versions/${ids[2]}?include=nonsense`)
    expect(refused.status).toBe(400)
    const workspaceAnswer = await api.request('GET', `workspaces/${workspace.id}?include=current_state_version,outputs`)
    expect(workspaceAnswer.included.map(({ type }) => type).sort()).toEqual(['state-versions', 'workspace-outputs'])
  })

  it('is nothing for strangers, and nothing that does not exist', async () => {
    const stranger = await api.newUser()
    const outputId = (await api.request('GET', `state-versions/${ids[0]}/outputs`)).many()[0]?.id
    const paths = [
      listPath(),
      `workspaces/${workspace.id}/state-versions`,
      `workspaces/${workspace.id}/current-state-version`,
      `workspaces/${workspace.id}/current-state-version-outputs`,
      `workspaces/${workspace.id}/resources`,
      `state-versions/${ids[0]}`,
      `state-versions/${ids[0]}/download`,
      `state-versions/${ids[0]}/outputs`,
      `state-version-outputs/${outputId}`,
    ]
    for (const path of paths) {
      expect([path, (await api.request('GET', path, { token: stranger.token })).status]).toEqual([path, 404])
      expect([path, (await api.request('GET', path, { token: '' })).status]).toEqual([path, 401])
    }
    const missing = [
      'state-versions/sv-1111111111111111',
      'state-versions/nonexisting',
      'state-version-outputs/wsout-J2zM24JPAAAAAAAA',
      'workspaces/x/current-state-version',
    ]
    for (const path of missing) expect([path, (await api.request('GET', path)).status]).toEqual([path, 404])
  })
})

describe('while the lock is held', () => {
  it('shows the holder what he wrote, and everybody else what is current', async () => {
    const held = await api.newWorkspace({ id: workspace.organizationId, name: workspace.organization })
    const old = await api.push(held, stateBytes({ serial: 1, outputs: { o: { value: 'old', type: 'string' } } }))
    await api.lock(held)
    const created = await api.create(held, stateBytes({ serial: 2, outputs: { o: { value: 'new', type: 'string' } } }))
    const seen = async (token?: string) => {
      const current = await api.request('GET', `workspaces/${held.id}/current-state-version`, { token })
      const outputs = await api.request('GET', `workspaces/${held.id}/current-state-version-outputs`, { token })
      return [current.one().id, outputs.many()[0]?.attributes['value']]
    }
    const organizationToken = await api.request('POST', `organizations/${held.organization}/authentication-token`)
    const other = String(organizationToken.one().attributes['token'])
    expect(await seen()).toEqual([created.one().id, 'new'])
    expect(await seen(other)).toEqual([old, 'old'])
    expect((await api.request('GET', `workspaces/${held.id}`)).one().relationships['current-state-version']?.data).toMatchObject({
      id: old,
    })
    await api.unlock(held)
    expect(await seen(other)).toEqual([created.one().id, 'new'])
  })
})

describe('resources', () => {
  it('are the managed instances of the current state', async () => {
    const own = await api.newWorkspace()
    const resources = [
      resourceOf('this', [0], {
        module: 'module.media_bucket',
        type: 'aws_s3_bucket',
        provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      }),
      resourceOf('each', ['a.b', 'module.x'], { module: 'module.a["module.q"].module.b' }),
      resourceOf('plain'),
      resourceOf('read', [undefined], { mode: 'data' }),
      resourceOf('gone', []),
    ]
    expect((await api.request('GET', `workspaces/${own.id}/resources`)).many()).toEqual([])
    const id = await api.push(own, stateBytes({ serial: 1, resources }))
    const list = await api.request('GET', `workspaces/${own.id}/resources`)
    const first = list.many()[0]
    expect(first?.id).toMatch(/^wsr-[1-9A-HJ-NP-Za-km-z]{16}$/)
    expect(first?.attributes).toMatchObject({
      address: 'media_bucket.aws_s3_bucket.this[0]',
      name: 'this',
      module: 'media_bucket',
      provider: 'hashicorp/aws',
      'provider-type': 'aws_s3_bucket',
      'name-index': '0',
      'modified-by-state-version-id': id,
    })
    expect(list.many().map(({ attributes }) => attributes['address'])).toEqual([
      'media_bucket.aws_s3_bucket.this[0]',
      'a["module.q"].b.null_resource.each["a.b"]',
      'a["module.q"].b.null_resource.each["module.x"]',
      'null_resource.plain',
    ])
    expect((await api.request('GET', `workspaces/${own.id}/resources?page[number]=999&page[size]=100`)).meta).toMatchObject({
      pagination: { 'current-page': 999, 'total-count': 4 },
    })
    const [version] = (await api.request('GET', `workspaces/${own.id}/state-versions`)).many()
    expect(version?.attributes).toMatchObject({
      'billable-rum-count': 1,
      modules: { root: { 'null-resource': 1, 'data.null-resource': 1 } },
    })
  })
})
