import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { makeAnswerChecker } from './answer-checker.ts'

type Answer = { status: number; location: string | undefined; contentType: string | undefined; bytes: Buffer }

export type ApiAnswer = { status: number; text: string; body: ApiBody }
export type Resource = {
  id: string
  type: string
  attributes: Record<string, unknown>
  relationships?: Record<string, { data: { id: string; type: string } | { id: string; type: string }[] | null }>
}
type ApiBody = { data: Resource & Resource[]; included?: Resource[]; errors?: { status: string; title: string; detail?: string }[] }

/**
 * Calls of the JSON:API under `url`/api/v2/ as the bearer of `token`. Throws for answers that are no success, with their text, and for those that the
 * server's OpenAPI document does not describe.
 */
export type Api = {
  call(method: string, path: string, data?: unknown): Promise<ApiBody>
  /** The same without a throw. */
  raw(method: string, path: string, data?: unknown): Promise<ApiAnswer>
  /** Text behind the redirect that GET `path` answers. */
  follow(path: string): Promise<string>
  /** Sends bytes to a signed URL. */
  put(url: string, body: Buffer): Promise<void>
  /** What is at a signed URL. */
  bytes(url: string): Promise<Buffer>
}

export const makeApiClient = ({ url, token, caPem }: { url: string; token: string; caPem?: string }): Api => {
  const send = (method: string, target: string, headers: Record<string, string>, body?: string | Buffer): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const request = target.startsWith('https:') ? requestTls : requestPlain
      const call = request(target, { method, headers, agent: false, ...(caPem === undefined ? {} : { ca: caPem }) }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.once('error', reject)
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            location: response.headers.location,
            contentType: response.headers['content-type'],
            bytes: Buffer.concat(parts),
          }),
        )
      })
      call.once('error', reject)
      call.end(body)
    })
  const expectSuccess = ({ status, bytes }: Answer, what: string): Buffer => {
    if (status >= 300) throw new Error(`${what}: ${status} ${bytes.toString('utf8')}`)
    return bytes
  }
  let checking: ReturnType<typeof loadChecker> | undefined
  const loadChecker = async () => makeAnswerChecker(JSON.parse((await send('GET', `${url}/api/openapi.json`, {})).bytes.toString('utf8')))
  /** Undefined while the server is down, as in tests that kill it: the next call asks again. */
  const checker = () =>
    (checking ??= loadChecker()).catch(() => {
      checking = undefined
      return undefined
    })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' }
  const raw = async (method: string, path: string, data?: unknown): Promise<ApiAnswer> => {
    const { status, contentType, bytes } = await send(
      method,
      `${url}/api/v2/${path}`,
      headers,
      data === undefined ? undefined : JSON.stringify({ data }),
    )
    const text = bytes.toString('utf8')
    const check = await checker()
    check?.({ method, path: new URL(path, `${url}/api/v2/`).pathname, status, contentType, text })
    return { status, text, body: text.startsWith('{') ? (JSON.parse(text) as ApiBody) : ({} as ApiBody) }
  }
  return {
    raw,
    call: async (method, path, data) => {
      const { status, text, body } = await raw(method, path, data)
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
      return body
    },
    follow: async (path) => {
      const { location } = await send('GET', `${url}/api/v2/${path}`, headers)
      if (location === undefined) throw new Error(`GET ${path} answered no redirect`)
      return expectSuccess(await send('GET', location, {}), `GET ${location}`).toString('utf8')
    },
    bytes: async (target) => expectSuccess(await send('GET', target, {}), `GET ${target}`),
    put: async (target, body) => {
      expectSuccess(await send('PUT', target, { 'content-type': 'application/octet-stream' }, body), `PUT ${target}`)
    },
  }
}
