import { describe, expect, it } from 'vitest'
import { endpoint } from './endpoint.ts'
import { json } from './reply.ts'
import { makeSignedUrls, signedPath } from './signed-urls.ts'
import { toyApi } from './toy-api.ts'

let nowMs = Date.UTC(2026, 0, 1)
const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs }
const urls = makeSignedUrls({ key: Buffer.from('a key of the test'), publicUrl: 'https://terrane.test/', clock })
const { app } = toyApi(
  ['state', 'log'].map((kind) =>
    endpoint({
      method: 'GET',
      path: signedPath(kind),
      auth: 'signed',
      status: 200,
      handle: async (_ctx, { params }) => json(urls.verify(kind, params)),
    }),
  ),
)
const get = async (url: string): Promise<[number, unknown]> => {
  const response = await app.request(url)
  return [response.status, await response.json()]
}

describe('signed URLs', () => {
  it('give back the id, whatever the query and without a token', async () => {
    const url = urls.sign('state', 'sv-1', 1000)
    expect(url).toMatch(/^https:\/\/terrane\.test\/_objects\/state\/sv-1\/[0-9a-z]+\/[\w-]{43}$/)
    expect(await get(url)).toEqual([200, 'sv-1'])
    expect(await get(`${url}?limit=10&offset=5`)).toEqual([200, 'sv-1'])
    expect(await get(urls.sign('state', 'a b/c?d', 1000))).toEqual([200, 'a b/c?d'])
  })

  it('are 404 with any single character changed, cut or added', async () => {
    const url = urls.sign('state', 'sv-1', 1000)
    const start = url.indexOf('/sv-1')
    for (let at = start + 1; at < url.length; at++) {
      if (url[at] === '/') continue
      const other = url[at] === 'A' ? 'B' : 'A'
      expect([at, (await get(url.slice(0, at) + other + url.slice(at + 1)))[0]]).toEqual([at, 404])
    }
    expect((await get(`${url.slice(0, -10)}xxxxxxxxxx`))[0]).toBe(404)
    expect((await get(url.slice(0, -1)))[0]).toBe(404)
    expect((await get(`${url}A`))[0]).toBe(404)
    expect((await get(`${url}=`))[0]).toBe(404)
  })

  it('are good for their kind, key and id only', async () => {
    const url = urls.sign('state', 'sv-1', 1000)
    expect((await get(url.replace('/state/', '/log/')))[0]).toBe(404)
    const other = makeSignedUrls({ key: Buffer.from('another key'), publicUrl: 'https://terrane.test', clock })
    expect((await get(other.sign('state', 'sv-1', 1000)))[0]).toBe(404)
  })

  it('are 410 once they have expired', async () => {
    const url = urls.sign('log', 'plan-1', 1000)
    nowMs += 999
    expect(await get(url)).toEqual([200, 'plan-1'])
    nowMs += 1
    const [status, body] = await get(url)
    expect([status, body]).toEqual([410, { errors: [expect.objectContaining({ status: '410', title: 'gone' })] }])
  })
})
