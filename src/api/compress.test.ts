import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { resourceType } from './jsonapi/resource-type.ts'
import { download, many } from './reply.ts'
import { toyApi } from './toy-api.ts'

const wordType = resourceType('words', { attributes: z.object({ text: z.string() }) })
const words = (count: number) => Array.from({ length: count }, (_, i) => wordType.of({ id: `w-${i}`, attributes: { text: `wörd ${i}` } }))
const bytes = Buffer.alloc(100_000, 'log line\n')
const { app } = toyApi([
  endpoint({
    method: 'GET',
    path: 'words',
    auth: 'public',
    status: 200,
    answer: { many: wordType },
    handle: async () => many(words(1000)),
  }),
  endpoint({ method: 'GET', path: 'word', auth: 'public', status: 200, answer: { many: wordType }, handle: async () => many(words(1)) }),
  endpoint({
    method: 'GET',
    path: 'log',
    auth: 'public',
    status: 200,
    answer: { bytes: 'text/plain' },
    handle: async () => download({ content: bytes, contentType: 'text/plain', sizeBytes: bytes.length }),
  }),
])
const get = async (path: string, encodings?: string, method = 'GET') => {
  const response = await app.request(`/api/v2/${path}`, {
    method,
    headers: encodings === undefined ? {} : { 'accept-encoding': encodings },
  })
  const header = (name: string) => response.headers.get(name)
  return {
    encoding: header('content-encoding'),
    vary: header('vary'),
    length: header('content-length'),
    body: Buffer.from(await response.arrayBuffer()),
  }
}

describe('a long JSON answer', () => {
  it('is compressed for a client that takes gzip, and is the same text', async () => {
    const plain = await get('words')
    expect(plain).toMatchObject({ encoding: null, vary: 'accept-encoding' })
    for (const accepted of ['gzip', 'br, gzip;q=0.5', 'deflate, *', 'GZIP']) {
      const { encoding, vary, length, body } = await get('words', accepted)
      expect([accepted, encoding, vary, length]).toEqual([accepted, 'gzip', 'accept-encoding', String(body.length)])
      expect(gunzipSync(body)).toEqual(plain.body)
      expect(body.length).toBeLessThan(plain.body.length / 5)
    }
  })

  it('is left alone for all others', async () => {
    for (const accepted of ['', 'identity', 'br', 'gzip;q=0', 'gzip; q=0.0', 'xgzip'])
      expect([accepted, (await get('words', accepted)).encoding]).toEqual([accepted, null])
  })

  it('has the same headers without its body', async () => {
    const { encoding, body } = await get('words', 'gzip', 'HEAD')
    expect([encoding, body.length]).toEqual(['gzip', 0])
  })
})

describe('a short answer, and bytes', () => {
  it('are sent as they are', async () => {
    expect(await get('word', 'gzip')).toMatchObject({ encoding: null, vary: null })
    expect(await get('log', 'gzip')).toEqual({ encoding: null, vary: null, length: '100000', body: bytes })
  })
})
