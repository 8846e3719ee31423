import { once } from 'node:events'
import { type IncomingMessage, createServer, request as requestOf } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { makeAnswerChecker } from '../harness/answer-checker.ts'

export type CheckingProxy = {
  url: string
  /** What the OpenAPI document does not describe, each kind once. */
  complaints(): string[]
  close(): Promise<void>
}

/** Passes requests on to the server at `target` and compares its answers with its own OpenAPI document. */
export const startCheckingProxy = async (target: string): Promise<CheckingProxy> => {
  const check = makeAnswerChecker((await (await fetch(`${target}/api/openapi.json`)).json()) as Record<string, unknown>)
  const complaints = new Map<string, string>()

  const look = (method: string, url: string, { statusCode = 0, headers }: IncomingMessage, bytes: Buffer): void => {
    const contentType = headers['content-type']
    const { pathname } = new URL(url, target)
    const isText = contentType === undefined || contentType.includes('json')
    const text = isText ? (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8') : undefined
    try {
      check({ method, path: pathname, status: statusCode, contentType, text })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      // Ids differ from call to call.
      complaints.set(message.split('\n', 1)[0]?.replaceAll(/-[1-9A-HJ-NP-Za-km-z]{16}/g, '-…') ?? '', message)
    }
  }

  const server = createServer((request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const onward = requestOf(target + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.once('end', () => look(method, url, answer, Buffer.concat(parts)))
      answer.pipe(response)
    })
    onward.once('error', () => response.destroy())
    request.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    complaints: () => [...complaints.values()],
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
