import { createHash, randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eq } from 'drizzle-orm'
import { waitFor } from '../../harness/wait-for.ts'
import { makeFakeClock } from '../../harness/fake-clock.ts'
import { type StateApi, makeStateApi, md5, resourceOf, stateBytes } from './state-api.ts'

let api: StateApi
const clock = makeFakeClock()
beforeAll(async () => {
  api = await makeStateApi({ clock, limits: { maxBytes: 40 * 1024 * 1024 } })
})
afterAll(() => api.drop())

const bytes = stateBytes({ serial: 1, resources: [resourceOf('a')], outputs: { o: { value: 1, type: 'number' } } })
const json = Buffer.from('{"format_version":"1.0","values":{}}')
setFlagsFromString('--expose-gc')
// safe because of the flag
const collectGarbage = runInNewContext('gc') as () => void

const UPLOAD = 'hosted-state-upload-url'
const JSON_UPLOAD = 'hosted-json-state-upload-url'

const begin = async (content = bytes, extra: Record<string, unknown> = {}) => {
  const workspace = await api.newWorkspace()
  await api.lock(workspace)
  const created = await api.createPending(workspace, content, extra)
  expect(created.status).toBe(201)
  const { id, attributes } = created.one()
  const read = async () => (await api.request('GET', `state-versions/${id}`)).one().attributes
  return { workspace, id, attributes, read, upload: attributes[UPLOAD], jsonUpload: attributes[JSON_UPLOAD] }
}

describe('two-step upload', () => {
  it.each(['state first', 'JSON first'])('takes both, %s', async (order) => {
    const { workspace, id, attributes, read, upload, jsonUpload } = await begin()
    expect(attributes).toMatchObject({ status: 'pending', size: null, 'hosted-state-download-url': null, 'resources-processed': false })
    const puts = [() => api.put(upload, bytes), () => api.put(jsonUpload, json)]
    if (order === 'JSON first') puts.reverse()
    for (const put of puts) expect(await put()).toBe(200)
    const after = await read()
    expect(after).toMatchObject({
      status: 'finalized',
      size: bytes.length,
      'resources-processed': true,
      [UPLOAD]: null,
      [JSON_UPLOAD]: null,
    })
    expect((await api.download(after['hosted-state-download-url'])).bytes).toEqual(bytes)
    expect((await api.download(after['hosted-json-state-download-url'])).bytes).toEqual(json)

    expect((await api.request('GET', `workspaces/${workspace.id}`)).one().relationships['current-state-version']?.data).toBeNull()
    expect((await api.unlock(workspace)).status).toBe(200)
    const answer = await api.request('GET', `workspaces/${workspace.id}`)
    expect(answer.one().relationships['current-state-version']?.data).toEqual({ type: 'state-versions', id })
    expect(answer.one().attributes['resource-count']).toBe(1)
  })

  it('takes both at once', async () => {
    const { read, upload, jsonUpload } = await begin()
    expect(await Promise.all([api.put(upload, bytes), api.put(jsonUpload, json)])).toEqual([200, 200])
    expect((await read())['hosted-json-state-download-url']).not.toBeNull()
  })

  it('takes the same upload again, also at once, and refuses another one', async () => {
    const { workspace, read, upload, jsonUpload } = await begin()
    expect(await Promise.all([api.put(upload, bytes), api.put(upload, bytes)])).toEqual([200, 200])
    const before = await read()
    expect(await api.put(upload, bytes)).toBe(200)
    expect(await api.put(upload, Buffer.from('{}'))).toBe(409)
    expect(await Promise.all([api.put(jsonUpload, json), api.put(jsonUpload, json)])).toEqual([200, 200])
    expect(await api.put(jsonUpload, Buffer.from('{}'))).toBe(409)
    const after = await read()
    expect(after['size']).toBe(before['size'])
    expect((await api.download(after['hosted-state-download-url'])).bytes).toEqual(bytes)
    expect((await api.download(after['hosted-json-state-download-url'])).bytes).toEqual(json)
    await api.unlock(workspace)
    expect(await api.put(upload, bytes)).toBe(200)
  })

  it('stays pending when the bytes are not those announced', async () => {
    const { workspace, read, upload } = await begin()
    expect(await api.put(upload, Buffer.from('{}'))).toBe(400)
    expect((await read())['status']).toBe('pending')
    const unlock = await api.unlock(workspace)
    expect(unlock.status).toBe(422)
    expect(unlock.errors[0]?.detail).toContain('latest state version is still pending')
    expect(await api.put(upload, bytes)).toBe(200)
    expect((await api.unlock(workspace)).status).toBe(200)
  })

  it('does not open for a changed or an old URL', async () => {
    const { upload, jsonUpload, id } = await begin()
    const tampered = `${String(upload).slice(0, -10)}nonexisted`
    expect(await api.put(tampered, bytes)).toBe(404)
    expect(await api.put(String(jsonUpload).replace('json-state-upload', 'state-upload'), bytes)).toBe(404)
    expect(await api.put(String(upload).replace(id, 'sv-1111111111111111'), bytes)).toBe(404)
    clock.advance(26 * 3_600_000)
    expect(await api.put(upload, bytes)).toBe(410)
  })

  it('discards an upload that a newer one has overtaken', async () => {
    const { workspace, read, upload } = await begin()
    const next = stateBytes({ serial: 2 })
    const newer = await api.createPending(workspace, next)
    expect(await api.put(newer.one().attributes[UPLOAD], next)).toBe(200)
    expect((await read())['status']).toBe('discarded')
    expect(await api.put(upload, bytes)).toBe(409)
  })

  it('refuses what does not follow a state that became final since', async () => {
    const { workspace, upload } = await begin()
    const other = stateBytes({ serial: 1, terraform_version: '1.0.0' })
    const newer = await api.createPending(workspace, other)
    clock.advance(5)
    expect(await api.put(upload, bytes)).toBe(200)
    expect(await api.put(newer.one().attributes[UPLOAD], other)).toBe(412)
    expect((await api.request('GET', `state-versions/${newer.one().id}`)).one().attributes['status']).toBe('pending')
  })

  it('discards uploads that have not come when the lock is taken away', async () => {
    const { workspace, read, upload } = await begin()
    expect((await api.request('POST', `workspaces/${workspace.id}/actions/force-unlock`)).status).toBe(200)
    expect((await read())['status']).toBe('discarded')
    expect(await api.put(upload, bytes)).toBe(409)
    expect((await api.request('GET', `workspaces/${workspace.id}/current-state-version`)).status).toBe(404)
  })

  it('shows outputs that came with the create at once', async () => {
    const outputs = Buffer.from('{"early":{"sensitive":false,"value":1.0,"type":"number"}}').toString('base64')
    const { id, upload } = await begin(bytes, { 'json-state-outputs': outputs })
    const list = async () => (await api.request('GET', `state-versions/${id}/outputs`)).many()
    const before = await list()
    expect(before.map(({ attributes }) => attributes['name'])).toEqual(['early'])
    expect(await api.put(upload, bytes)).toBe(200)
    expect(await list()).toEqual(before)
  })
})

describe('large states', () => {
  const MIB = 1024 * 1024

  const streamOf = (chunks: number, tail: Buffer, onChunk = (): void => undefined) => {
    const chunk = Buffer.alloc(MIB, 'x')
    let sent = 0
    return new ReadableStream<Uint8Array>({
      pull: (controller) => {
        onChunk()
        if (sent === 0) controller.enqueue(Buffer.from('{"version":4,"serial":1,"pad":"'))
        if (sent++ < chunks) controller.enqueue(chunk)
        else {
          controller.enqueue(tail)
          controller.close()
        }
      },
    })
  }
  const tail = Buffer.from('","outputs":{"late":{"value":"here","type":"string"}},"resources":[]}')

  const md5Of = async (stream: ReadableStream<Uint8Array>) => {
    const hash = createHash('md5')
    for await (const chunk of stream) hash.update(chunk)
    return hash.digest('hex')
  }

  // each look at the memory collects all garbage, which takes its time
  it('are streamed, and looked into after the answer', { timeout: 120_000 }, async () => {
    const { workspace, id, upload } = await begin(bytes, { md5: await md5Of(streamOf(30, tail)) })
    const held = (): number => {
      collectGarbage()
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      return heapUsed + arrayBuffers
    }
    const before = held()
    let peak = 0
    const measure = (): void => {
      peak = Math.max(peak, held() - before)
    }
    expect(await api.put(upload, streamOf(30, tail, measure))).toBe(200)
    expect(peak).toBeGreaterThan(0)
    expect(peak).toBeLessThan(8 * MIB)

    expect((await api.unlock(workspace)).status).toBe(200)
    const outputs = await waitFor(async () => {
      const { status, many } = await api.request('GET', `state-versions/${id}/outputs`)
      return status === 200 && many().length > 0 && many()
    })
    expect(outputs[0]?.attributes['value']).toBe('here')
    await api.state.processingIdle()
    expect((await api.request('GET', `state-versions/${id}`)).one().attributes['resources-processed']).toBe(true)
  })

  it('over the limit are refused', async () => {
    const { read, upload } = await begin()
    expect(await api.put(upload, streamOf(45, tail))).toBe(413)
    expect((await read())['status']).toBe('pending')
    expect(await api.put(upload, randomBytes(41 * MIB))).toBe(413)
  })

  it('do not hold up other requests', async () => {
    const workspace = await api.newWorkspace()
    const attributes = { id: 'i', input: 'x'.repeat(900) }
    const instances = Array.from({ length: 20_000 }, (_, index_key) => ({ index_key, schema_version: 0, attributes }))
    const big = stateBytes({ serial: 1, resources: [{ ...resourceOf('many'), instances }] })
    expect(big.length).toBeGreaterThan(20 * MIB)
    await api.lock(workspace)
    const created = await api.createPending(workspace, big)
    expect(await api.put(created.one().attributes[UPLOAD], big)).toBe(200)
    await api.unlock(workspace)

    let longest = 0
    let last = performance.now()
    const beat = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 1)
    await api.state.processingIdle()
    clearInterval(beat)
    expect(longest).toBeLessThan(300)
    expect((await api.request('GET', `workspaces/${workspace.id}`)).one().attributes['resource-count']).toBe(20_000)
    expect(
      (await api.request('GET', `workspaces/${workspace.id}/resources?page[size]=1&page[number]=20000`)).many()[0]?.attributes['address'],
    ).toBe('null_resource.many[19999]')
  })

  it('answer 503 for the current outputs until then, and are found again after a crash', async () => {
    const workspace = await api.newWorkspace()
    const id = await api.push(workspace, bytes)
    // as a process leaves it that was killed before it had looked into the state
    const { stateVersions, stateOutputs } = api.db.t
    await api.db.transaction(async (tx) => {
      await tx
        .update(stateVersions)
        .set({ areResourcesProcessed: false, resources: null, managedCount: null })
        .where(eq(stateVersions.id, id))
      await tx.delete(stateOutputs).where(eq(stateOutputs.stateVersionId, id))
    })
    const response = await api.app.request(`${api.publicUrl}/api/v2/workspaces/${workspace.id}/current-state-version-outputs`, {
      headers: { authorization: `Bearer ${api.admin.token}` },
    })
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ errors: [{ title: 'service unavailable' }] })
    expect((await api.request('POST', `workspaces/${workspace.id}/actions/safe-delete`)).errors[0]?.detail).toContain('being processed')
    await api.state.resumeProcessing()
    await api.state.processingIdle()
    expect((await api.request('GET', `workspaces/${workspace.id}/current-state-version-outputs`)).many()).toHaveLength(1)
    expect(md5(await api.blobs.read((await api.state.currentState(workspace.id))?.blobKey ?? ''))).toBe(md5(bytes))
  })
})
