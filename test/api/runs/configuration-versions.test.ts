import { createHash } from 'node:crypto'
import { Header } from 'tar'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { slugOf } from '../../contract/runner-driver.ts'
import { documentOf } from '../../harness/api.ts'
import { makeHandRunner } from '../../harness/hand-runner.ts'
import { type RunApi, makeRunApi, tinyFiles } from '../../harness/runs.ts'

let api: RunApi

beforeAll(async () => {
  api = await makeRunApi()
})
afterAll(() => api.drop())

const read = async (id: string) => (await api.request('GET', `configuration-versions/${id}`)).one()
const runsOf = async (workspaceId: string) =>
  (await api.request('GET', `workspaces/${workspaceId}/runs?filter[operation]=plan_and_apply,plan_only`)).many()
/** An archive of one entry whose name leads out of it. */
const escaping = (): Buffer => {
  const header = Buffer.alloc(512)
  new Header({ path: '../escaped.tf', mode: 0o644, size: 0, mtime: new Date(0), type: 'File' }).encode(header)
  return gzipSync(Buffer.concat([header, Buffer.alloc(1024)]))
}

describe('a configuration version', () => {
  it('begins pending, with an upload URL that is shown once, and current', async () => {
    const { id } = await api.newWorkspace()
    const body = documentOf('configuration-versions', {})
    const { status, one } = await api.request('POST', `workspaces/${id}/configuration-versions`, { body })
    expect(status).toBe(201)
    expect(one().attributes).toMatchObject({
      status: 'pending',
      'auto-queue-runs': true,
      speculative: false,
      provisional: false,
      source: 'tfe-api',
      error: null,
      'error-message': null,
    })
    expect(one().attributes['upload-url']).toMatch(/^http:\/\/terrane\.test\/_objects\//)
    expect((await read(one().id)).attributes['upload-url']).toBeNull()
    const workspace = (await api.request('GET', `workspaces/${id}`)).one()
    expect(workspace.relationships['current-configuration-version']?.data).toMatchObject({ id: one().id })
  })

  it('is made without a document, too, and refused with a bad one', async () => {
    const { id } = await api.newWorkspace()
    expect((await api.request('POST', `workspaces/${id}/configuration-versions`)).status).toBe(201)
    const body = documentOf('configuration-versions', { speculative: 'yes' })
    expect((await api.request('POST', `workspaces/${id}/configuration-versions`, { body })).status).toBe(422)
  })

  it('knows its client', async () => {
    const { id } = await api.newWorkspace()
    const headers = { 'terraform-version': '1.11.4' }
    const { one } = await api.request('POST', `workspaces/${id}/configuration-versions`, { headers })
    expect(one().attributes['source']).toBe('terraform')
  })

  it.each(['speculative', 'provisional'])('that is %s does not become current', async (flag) => {
    const { id } = await api.newWorkspace()
    const current = await api.newConfiguration(id)
    await api.newConfiguration(id, { 'auto-queue-runs': false, [flag]: true })
    const workspace = (await api.request('GET', `workspaces/${id}`)).one()
    expect(workspace.relationships['current-configuration-version']?.data).toMatchObject({ id: current.id })
  })

  it('is listed newest first', async () => {
    const { id } = await api.newWorkspace()
    const ids = [await api.configured(id), await api.configured(id), await api.configured(id)]
    const list = await api.request('GET', `workspaces/${id}/configuration-versions?page[size]=2`)
    expect(list.many().map((each) => each.id)).toEqual(ids.toReversed().slice(0, 2))
    expect(list.meta['pagination']).toMatchObject({ 'total-count': 3 })
  })
})

describe('an upload', () => {
  it('is answered when the archive was read, which is kept byte for byte', async () => {
    const { id } = await api.newWorkspace()
    const version = await api.newConfiguration(id)
    const archive = slugOf({ ...tinyFiles, 'ümlaut ✓.tf': '' })
    const uploaded = await api.upload(version.attributes['upload-url'], archive)
    expect([uploaded.status, uploaded.text]).toEqual([200, ''])
    const { attributes } = await read(version.id)
    expect(attributes['status']).toBe('uploaded')
    expect(Object.keys(attributes['status-timestamps'] as object).toSorted()).toEqual(['finished-at', 'queued-at', 'started-at'])
    const response = await api.app.request(`http://terrane.test/api/v2/configuration-versions/${version.id}/download`, {
      headers: { authorization: `Bearer ${api.admin.token}` },
    })
    expect(response.status).toBe(200)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(archive)
  })

  it.each([
    ['no archive', Buffer.from('no archive'), 'gzip'],
    ['nothing', Buffer.alloc(0), 'gzip'],
    ['half an archive', slugOf(tinyFiles).subarray(0, 60), 'gzip'],
    ['an entry that leads out of it', escaping(), 'escaped.tf'],
  ])('of %s is a 422 with the reason, which the version keeps', async (_name, archive, text) => {
    const { id } = await api.newWorkspace()
    const version = await api.newConfiguration(id, {})
    const { status, errors } = await api.upload(version.attributes['upload-url'], archive)
    expect(status).toBe(422)
    const detail = errors[0]?.detail ?? ''
    expect(detail.length).toBeGreaterThan(10)
    expect(detail).toContain(text)
    expect((await read(version.id)).attributes).toMatchObject({ status: 'errored', error: 'invalid_archive', 'error-message': detail })
    expect(await runsOf(id)).toEqual([])
    expect((await api.request('GET', `configuration-versions/${version.id}/download`)).status).toBe(404)
  })

  it('that was refused ends the runs that wait for it, and can be repeated with a better archive', async () => {
    const { id } = await api.newWorkspace()
    const version = await api.newConfiguration(id)
    const waiting = await api.newRun(id)
    await api.upload(version.attributes['upload-url'], Buffer.from('no archive'))
    expect(await api.statusOf(waiting)).toBe('errored')
    expect((await api.upload(version.attributes['upload-url'], tinyFiles)).status).toBe(200)
    expect((await read(version.id)).attributes).toMatchObject({ status: 'uploaded', error: null, 'error-message': null })
    expect(await api.statusOf(waiting)).toBe('errored')
  })

  it('takes the place of the one before, until a run uses it', async () => {
    const { id } = await api.newWorkspace()
    const version = await api.newConfiguration(id)
    const url = version.attributes['upload-url']
    expect((await api.upload(url, tinyFiles)).status).toBe(200)
    const better = slugOf({ 'main.tf': '# better' })
    expect((await api.upload(url, better)).status).toBe(200)
    const rows = await api.db.select().from(api.db.t.configurationVersions)
    expect(rows.find((row) => row.id === version.id)?.sizeBytes).toBe(better.length)
    const run = await api.newRun(id)
    const refused = await api.upload(url, tinyFiles)
    expect([refused.status, refused.errors[0]?.detail]).toEqual([
      409,
      'The configuration version is used by a run already. Create a new one.',
    ])
    await api.act(run, 'cancel')
    expect((await api.upload(url, tinyFiles)).status).toBe(409)
  })

  it('that is refused leaves alone what else has the same bytes', async () => {
    const { id } = await api.newWorkspace()
    const state = Buffer.from(
      JSON.stringify({ version: 4, serial: 1, lineage: 'l', terraform_version: '1.11.4', outputs: {}, resources: [] }),
    )
    await api.request('POST', `workspaces/${id}/actions/lock`)
    const body = documentOf('state-versions', {
      serial: 1,
      md5: createHash('md5').update(state).digest('hex'),
      lineage: 'l',
      state: state.toString('base64'),
    })
    expect((await api.request('POST', `workspaces/${id}/state-versions`, { body })).status).toBe(201)
    await api.request('POST', `workspaces/${id}/actions/unlock`)
    const version = await api.newConfiguration(id)
    expect((await api.upload(version.attributes['upload-url'], state)).status).toBe(422)
    const current = (await api.request('GET', `workspaces/${id}/current-state-version`)).one()
    const { status, text } = await api.request('GET', String(current.attributes['hosted-state-download-url']), { token: '' })
    expect([status, text]).toEqual([200, state.toString()])
  })

  it('to a URL that was changed is a 404', async () => {
    const { id } = await api.newWorkspace()
    const [version, other] = [await api.newConfiguration(id), await api.newConfiguration(id)]
    const url = String(version.attributes['upload-url'])
    expect((await api.upload(url.replace(version.id, other.id), tinyFiles)).status).toBe(404)
    expect((await api.upload(`${url}x`, tinyFiles)).status).toBe(404)
    expect((await read(other.id)).attributes['status']).toBe('pending')
  })

  it('that is too large is a 413', async () => {
    const { id } = await api.newWorkspace()
    const version = await api.newConfiguration(id)
    expect((await api.upload(version.attributes['upload-url'], Buffer.alloc(1024 * 1024 + 1))).status).toBe(413)
    expect((await read(version.id)).attributes['status']).toBe('pending')
  })

  it('starts a run where the version asks for it, which nobody has created', async () => {
    const { id } = await api.newWorkspace({ 'auto-apply': true })
    const version = await api.newConfiguration(id, {})
    expect((await api.upload(version.attributes['upload-url'], tinyFiles)).status).toBe(200)
    const [run, ...more] = await runsOf(id)
    expect(more).toEqual([])
    expect(run?.attributes).toMatchObject({
      source: 'tfe-configuration-version',
      message: 'Configuration uploaded directly from the API',
      'auto-apply': true,
      'plan-only': false,
      status: 'plan_queued',
    })
    expect(run?.relationships['created-by']?.data).toBeNull()
    expect((await api.upload(version.attributes['upload-url'], tinyFiles)).status).toBe(409)
  })

  it('of a speculative version starts a plan-only run', async () => {
    const { id } = await api.newWorkspace()
    const version = await api.newConfiguration(id, { speculative: true })
    await api.upload(version.attributes['upload-url'], tinyFiles)
    expect((await runsOf(id)).map(({ attributes }) => attributes['plan-only'])).toEqual([true])
  })

  it('R034: many times at once leaves one of them, and one run', async () => {
    const { id } = await api.newWorkspace()
    const version = await api.newConfiguration(id, {})
    const uploads = Array.from({ length: 5 }, (_, index) => api.upload(version.attributes['upload-url'], { 'main.tf': `# ${index}` }))
    const statuses = (await Promise.all(uploads)).map(({ status }) => status)
    expect(statuses).toContain(200)
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([])
    expect(await runsOf(id)).toHaveLength(1)
  })
})

describe('archiving', () => {
  const archive = (id: string) => api.request('POST', `configuration-versions/${id}/actions/archive`, { body: {} })

  it('answers 202 for a version that nothing needs, whose content is gone then', async () => {
    const { id } = await api.newWorkspace()
    const old = await api.configured(id)
    const current = await api.configured(id)
    const refused = await archive(current)
    expect(refused.status).toBe(409)
    expect(refused.errors[0]).toMatchObject({
      title: 'transition not allowed',
      detail: 'configuration could not be archived because it is current',
    })
    expect((await archive(old)).status).toBe(202)
    expect((await read(old)).attributes).toMatchObject({ status: 'archived' })
    expect((await api.request('GET', `configuration-versions/${old}/download`)).status).toBe(404)
    expect((await archive(old)).status).toBe(409)
  })

  it('answers 409 while a run in progress uses it, or nothing was uploaded', async () => {
    const { id } = await api.newWorkspace()
    const used = await api.configured(id)
    const run = await api.newRun(id)
    const empty = await api.newConfiguration(id)
    await api.configured(id)
    expect((await archive(used)).errors[0]?.detail).toContain('is used by a run in progress')
    expect((await archive(empty.id)).errors[0]?.detail).toContain('is pending')
    await makeHandRunner(api).plan(run, { hasChanges: false })
    expect((await archive(used)).status).toBe(202)
  })
})
