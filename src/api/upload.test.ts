import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { serve, type ServerType } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { waitFor } from '../../test/harness/wait-for.ts'
import { bytes } from './body.ts'
import { endpoint } from './endpoint.ts'
import { jsonApi } from './jsonapi/parse.ts'
import { download, json } from './reply.ts'
import { toyApi } from './toy-api.ts'

const MIB = 1024 * 1024
const CHUNK = Buffer.alloc(MIB, 'x')
const outcomes: string[] = []
let peakBytes = 0
let sourceClosed = false

const count = async (stream: Readable): Promise<{ size: number; sha256: string }> => {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    hash.update(chunk)
    peakBytes = Math.max(peakBytes, process.memoryUsage().arrayBuffers)
  }
  return { size, sha256: hash.digest('hex') }
}

const { app } = toyApi([
  endpoint({
    method: 'PUT',
    path: 'upload',
    auth: 'public',
    body: bytes({ maxBytes: 300 * MIB }),
    status: 200,
    handle: async (_ctx, { body }) =>
      json({ ...(await count(body.stream)), announced: body.sizeBytes ?? null, type: body.contentType ?? null }),
  }),
  endpoint({
    method: 'PUT',
    path: 'small',
    auth: 'public',
    body: bytes({ maxBytes: MIB }),
    status: 200,
    handle: async (_ctx, { body }) => {
      try {
        return json(await count(body.stream))
      } catch (error) {
        outcomes.push(String(error))
        throw error
      }
    },
  }),
  endpoint({
    method: 'POST',
    path: 'doc',
    auth: 'public',
    body: jsonApi(z.object({ name: z.string() })),
    status: 200,
    handle: async (_ctx, { body }) => json(body),
  }),
  endpoint({
    method: 'GET',
    path: 'endless',
    auth: 'public',
    status: 200,
    handle: async () => {
      const content = new Readable({ read: () => content.push(CHUNK) })
      content.on('close', () => (sourceClosed = true))
      return download({ content, contentType: 'application/octet-stream' })
    },
  }),
])

let server: ServerType
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (address) => {
      port = address.port
      resolve()
    })
  })
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

/** Sends `chunks` MiB and gives the status and the answer. */
const put = async (path: string, chunks: number, headers: Record<string, string> = {}) => {
  const outgoing = request({ host: '127.0.0.1', port, method: 'PUT', path: `/api/v2/${path}`, headers, agent: false })
  const answered = new Promise<{ status: number; text: string }>((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, text: answer }), reject)
    })
  })
  const body = Readable.from(
    (function* () {
      for (let at = 0; at < chunks; at++) yield CHUNK
    })(),
    { objectMode: false },
  )
  // A server that refuses early closes the connection under the upload; what counts is its answer.
  await Promise.race([pipeline(body, outgoing).catch(() => undefined), answered])
  return answered
}

describe('uploads', () => {
  it('stream 200 MiB with flat memory', async () => {
    const before = process.memoryUsage().arrayBuffers
    const { status, text: answer } = await put('upload', 200, {
      'content-type': 'application/octet-stream',
      'content-length': String(200 * MIB),
    })
    const expected = createHash('sha256')
    for (let at = 0; at < 200; at++) expected.update(CHUNK)
    expect([status, JSON.parse(answer)]).toEqual([
      200,
      { size: 200 * MIB, sha256: expected.digest('hex'), announced: 200 * MIB, type: 'application/octet-stream' },
    ])
    expect(peakBytes - before).toBeLessThan(64 * MIB)
  })

  it('are refused when announced too large, and cut when they turn out to be', async () => {
    const announced = await put('small', 2, { 'content-length': String(2 * MIB) })
    expect([announced.status, JSON.parse(announced.text).errors[0].title]).toEqual([413, 'payload too large'])
    expect(outcomes).toEqual([])
    const chunked = await put('small', 2)
    expect(chunked.status).toBe(413)
    expect(outcomes).toEqual([expect.stringContaining('TOO_LARGE')])
    expect((await put('small', 1)).status).toBe(200)
  })

  it('may be empty', async () => {
    expect(JSON.parse((await put('small', 0, { 'content-length': '0' })).text).size).toBe(0)
  })

  it('end in an error of the stream when the client goes away', async () => {
    outcomes.length = 0
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method: 'PUT',
      path: '/api/v2/small',
      headers: { 'content-length': '1000' },
      agent: false,
    })
    outgoing.on('error', () => undefined)
    outgoing.write('part')
    outgoing.once('socket', (socket) => socket.once('connect', () => setImmediate(() => outgoing.destroy())))
    await waitFor(() => outcomes.length > 0)
    expect(outcomes).toEqual([expect.stringContaining('BAD_REQUEST: The body ended early.')])
  })
})

describe('JSON documents over a socket', () => {
  const post = (body: string | ReadableStream) =>
    fetch(`http://127.0.0.1:${port}/api/v2/doc`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/vnd.api+json' },
    })

  it('are read with and without a length', async () => {
    const sent = JSON.stringify({ data: { attributes: { name: 'ü€😀' } } })
    expect(await (await post(sent)).json()).toEqual({ name: 'ü€😀' })
    const encoded = Buffer.from(sent)
    const byByte = Readable.toWeb(Readable.from(Array.from(encoded, (byte) => Buffer.of(byte)))) as ReadableStream
    expect(await (await post(byByte)).json()).toEqual({ name: 'ü€😀' })
  })

  it('are refused above 10 MiB', async () => {
    expect((await post(`{"data":"${'x'.repeat(10 * MIB)}"}`)).status).toBe(413)
  })
})

describe('downloads', () => {
  it('stop reading their source when the client leaves', async () => {
    const leave = new AbortController()
    const response = await fetch(`http://127.0.0.1:${port}/api/v2/endless`, { signal: leave.signal })
    await response.body?.getReader().read()
    leave.abort()
    await waitFor(() => sourceClosed)
    expect(sourceClosed).toBe(true)
  })
})
