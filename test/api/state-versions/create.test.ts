import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf } from '../../harness/api.ts'
import { type StateApi, makeStateApi, md5, resourceOf, stateBytes } from './state-api.ts'

let api: StateApi
beforeAll(async () => {
  api = await makeStateApi()
})
afterAll(() => api.drop())

const first = stateBytes({ serial: 1, resources: [resourceOf('a', [0, 1])], outputs: { o: { value: 'x', type: 'string' } } })

describe('201', () => {
  it('answers the version as read and list do, with what is in the state', async () => {
    const workspace = await api.newWorkspace()
    await api.lock(workspace)
    const created = await api.create(workspace, first)
    expect(created.status).toBe(201)
    const { id, attributes, relationships } = created.one()
    expect(attributes).toMatchObject({
      serial: 1,
      status: 'finalized',
      intermediate: true,
      size: first.length,
      'resources-processed': true,
      'state-version': 4,
      'terraform-version': '1.11.4',
      'billable-rum-count': 0,
      'hosted-state-upload-url': null,
      'hosted-json-state-upload-url': null,
      modules: { root: { 'null-resource': 2 } },
      providers: { 'provider["registry.terraform.io/hashicorp/null"]': { 'null-resource': 2 } },
      resources: [
        { name: 'a', type: 'null_resource', count: 2, module: 'root', provider: 'provider["registry.terraform.io/hashicorp/null"]' },
      ],
    })
    expect(attributes['created-at']).toMatch(/^\d{4}-.*\.\d{3}Z$/)
    expect(relationships.outputs?.data).toHaveLength(1)
    expect(relationships['created-by']?.data).toEqual({ type: 'users', id: api.admin.user.id })
    expect(relationships.run?.data).toBeNull()

    const query = `filter[organization][name]=${workspace.organization}&filter[workspace][name]=${workspace.name}`
    const read = (await api.request('GET', `state-versions/${id}`)).one()
    const [listed] = (await api.request('GET', `state-versions?${query}`)).many()
    const withoutUrls = (resource: typeof read) => ({
      ...resource,
      attributes: { ...resource.attributes, 'hosted-state-download-url': '' },
    })
    expect(withoutUrls(read)).toEqual(withoutUrls(created.one()))
    expect(listed && withoutUrls(listed)).toEqual(withoutUrls(created.one()))
  })

  it('stores every byte, whatever the numbers and the order of keys', async () => {
    const workspace = await api.newWorkspace()
    const text = `{"version":4,"serial": 7,\r\n "z": 9007199254740993, "lineage":"l", "a":[1.0,-0.0,1e400,12345678901234567890],"ü":"ключ\\u0000","z":{}}\n\n`
    const bytes = Buffer.from(text)
    await api.lock(workspace)
    const created = await api.create(workspace, bytes, { serial: 7 })
    expect(created.status).toBe(201)
    expect((await api.download(created.one().attributes['hosted-state-download-url'])).bytes).toEqual(bytes)
  })

  it('R013: takes the same serial with the same bytes again', async () => {
    const workspace = await api.newWorkspace()
    await api.lock(workspace)
    const bytes = stateBytes({ serial: 5 })
    const once = await api.create(workspace, bytes)
    const again = await api.create(workspace, bytes)
    expect([once.status, again.status]).toEqual([201, 201])
    expect(again.one().id).toBe(once.one().id)
    await api.unlock(workspace)
    await api.lock(workspace)
    const later = await api.create(workspace, bytes)
    expect(later.status).toBe(201)
    expect(later.one().id).not.toBe(once.one().id)
  })

  it('R013: makes one version of a create that is sent many times at once', async () => {
    const workspace = await api.newWorkspace()
    await api.lock(workspace)
    const bytes = stateBytes({ serial: 5 })
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.create(workspace, bytes)))
    expect(new Set(answers.map((answer) => answer.one().id)).size).toBe(1)
  })

  it('takes serial 0, a serial and a lineage unlike those in the bytes, and force', async () => {
    const workspace = await api.newWorkspace()
    await api.lock(workspace)
    const created = await api.create(workspace, first, { serial: 0, lineage: 'declared' })
    expect(created.one().attributes['serial']).toBe(0)
    expect((await api.create(workspace, stateBytes({ serial: 1 }), { lineage: 'other' })).status).toBe(409)
    expect((await api.create(workspace, stateBytes({ serial: 1 }), { lineage: 'other', force: true })).status).toBe(201)
    expect((await api.create(workspace, stateBytes({ serial: 0 }), { lineage: 'other', force: true })).status).toBe(201)
  })

  it('takes the lineage of the bytes when none is declared', async () => {
    const workspace = await api.newWorkspace()
    await api.push(workspace, first)
    await api.lock(workspace)
    expect((await api.create(workspace, stateBytes({ serial: 2 }), { lineage: 'lineage-a' })).status).toBe(201)
    expect((await api.create(workspace, stateBytes({ serial: 3 }), { lineage: 'lineage-b' })).status).toBe(409)
  })

  it('stores what is no state, encrypted say, with the outputs that were sent along', async () => {
    const workspace = await api.newWorkspace()
    await api.lock(workspace)
    const bytes = Buffer.from('{"serial":1,"lineage":"x","meta":{},"encrypted_data":"c2VjcmV0","encryption_version":"v0"}')
    const outputs = Buffer.from('{"n":{"sensitive":false,"value":9007199254740993,"type":"number"}}').toString('base64')
    const created = await api.create(workspace, bytes, { 'json-state-outputs': outputs })
    expect(created.one().attributes).toMatchObject({
      'resources-processed': true,
      'state-version': null,
      resources: null,
      'terraform-version': null,
    })
    expect((await api.request('GET', `state-versions/${created.one().id}/outputs`)).text).toContain('"value":9007199254740993')
    for (const broken of [
      Buffer.from('not json'),
      Buffer.from('{"version":4,"outputs":{"a":{"value":[1,,]}}}'),
      Buffer.from([0xff, 0, 0x22]),
    ]) {
      expect((await api.create(workspace, broken, { serial: 9, force: true })).status).toBe(201)
    }
  })

  it('keeps names that a database cannot', async () => {
    const workspace = await api.newWorkspace()
    await api.lock(workspace)
    const text =
      '{"version":4,"serial":1,"outputs":{"a\\u0000\\ud800":{"value":"\\u0000","type":"string"}},"resources":[{"mode":"managed","type":"t","name":"__proto__","module":"module.\\u0000","provider":"__proto__","instances":[{}]}]}'
    const created = await api.create(workspace, Buffer.from(text))
    expect(created.one().attributes['providers']).toEqual(JSON.parse('{"__proto__":{"t":1}}'))
    const outputs = await api.request('GET', `state-versions/${created.one().id}/outputs`)
    expect(outputs.many()[0]?.attributes).toMatchObject({ name: 'a��', value: '\0' })
  })

  it('takes JSON state inline', async () => {
    const workspace = await api.newWorkspace()
    await api.lock(workspace)
    const created = await api.create(workspace, first, { 'json-state': Buffer.from('{"format_version":"1.0"}').toString('base64') })
    expect((await api.download(created.one().attributes['hosted-json-state-download-url'])).bytes.toString()).toBe(
      '{"format_version":"1.0"}',
    )
  })
})

describe('401, 404', () => {
  it('is nothing for strangers, and nothing that does not exist', async () => {
    const workspace = await api.newWorkspace()
    const stranger = await api.newUser()
    await api.lock(workspace)
    expect((await api.create(workspace, first, {}, stranger.token)).status).toBe(404)
    expect((await api.create(workspace, first, {}, '')).status).toBe(401)
    expect((await api.create({ ...workspace, id: 'ws-1111111111111111' }, first)).status).toBe(404)
    expect((await api.create({ ...workspace, id: 'nonsense' }, first)).status).toBe(404)
  })

  it('is not for organization tokens', async () => {
    const workspace = await api.newWorkspace()
    const token = await api.request('POST', `organizations/${workspace.organization}/authentication-token`)
    const secret = String(token.one().attributes['token'])
    await api.lock(workspace, secret)
    expect((await api.create(workspace, first, {}, secret)).status).toBe(404)
  })
})

describe('409', () => {
  it('needs the caller to hold the lock', async () => {
    const workspace = await api.newWorkspace()
    const unlocked = await api.create(workspace, first)
    expect(unlocked.status).toBe(409)
    expect(unlocked.errors[0]?.detail).toContain('not locked')
    await api.db.transaction((tx) => api.workspaces.lockForRun(tx, workspace.id, 'run-1111111111111111'))
    const foreign = await api.create(workspace, first)
    expect(foreign.status).toBe(409)
    expect(foreign.errors[0]?.detail).toContain('locked by somebody else')
    expect((await api.create(workspace, first, { force: true })).status).toBe(409)
  })

  it('R013: refuses the same serial with other bytes, and older serials', async () => {
    const workspace = await api.newWorkspace()
    const bytes = stateBytes({ serial: 5 })
    const id = await api.push(workspace, bytes)
    await api.lock(workspace)
    const changed = Buffer.from(bytes.toString().replace('1.11.4', '1.11.5'))
    for (const refused of [await api.create(workspace, changed), await api.create(workspace, stateBytes({ serial: 4 }))]) {
      expect(refused.status).toBe(409)
      expect(refused.errors[0]?.detail).toMatch(/^Serial [45] /)
    }
    await api.unlock(workspace)
    expect((await api.request('GET', `workspaces/${workspace.id}/current-state-version`)).one().id).toBe(id)
  })

  it('lets one of two creates at once win', async () => {
    const workspace = await api.newWorkspace()
    await api.lock(workspace)
    const versions = ['1.0.0', '1.0.1', '1.0.2'].map((terraform_version) => stateBytes({ serial: 3, terraform_version }))
    const answers = await Promise.all(versions.map((bytes) => api.create(workspace, bytes)))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409])
  })
})

describe('422', () => {
  it('names the attribute that is wrong', async () => {
    const workspace = await api.newWorkspace()
    await api.lock(workspace)
    const pointers = async (extra: Record<string, unknown>) => {
      const answer = await api.create(workspace, first, extra)
      expect(answer.status).toBe(422)
      return answer.errors.map(({ source }) => source?.pointer)
    }
    expect(await pointers({ md5: md5(Buffer.from('other')) })).toEqual(['/data/attributes/md5'])
    expect(await pointers({ md5: 'short' })).toEqual(['/data/attributes/md5'])
    expect(await pointers({ serial: -1 })).toEqual(['/data/attributes/serial'])
    expect(await pointers({ serial: '1' })).toEqual(['/data/attributes/serial'])
    expect(await pointers({ state: '***' })).toEqual(['/data/attributes/state'])
    expect(await pointers({ lineage: 'a\u0007' })).toEqual(['/data/attributes/lineage'])
    expect(await pointers({ 'json-state-outputs': Buffer.from('{"a":').toString('base64') })).toEqual([
      '/data/attributes/json-state-outputs',
    ])
    for (const id of ['x', 'run-1111111111111111']) {
      const { status } = await api.request('POST', `workspaces/${workspace.id}/state-versions`, {
        body: documentOf('state-versions', { serial: 1, md5: md5(first) }, { run: { data: { type: 'runs', id } } }),
      })
      expect(status).toBe(422)
    }
    expect(
      (await api.request('POST', `workspaces/${workspace.id}/state-versions`, { body: documentOf('state-versions', {}) })).errors,
    ).toHaveLength(2)
  })
})
