import { request } from 'node:https'

export type ApiAnswer = { status: number; text: string; body: ApiBody }
export type Resource = {
  id: string
  type: string
  attributes: Record<string, unknown>
  relationships?: Record<string, { data: { id: string; type: string } | { id: string; type: string }[] | null }>
}
type ApiBody = { data: Resource & Resource[]; included?: Resource[]; errors?: { status: string; title: string; detail?: string }[] }

/** Calls of the JSON:API under `url`/api/v2/ as the bearer of `token`. Throws for answers that are no success, with their text. */
export type Api = {
  call(method: string, path: string, data?: unknown): Promise<ApiBody>
  /** The same without a throw. */
  raw(method: string, path: string, data?: unknown): Promise<ApiAnswer>
  /** Text at an absolute URL, without the token. */
  text(url: string): Promise<string>
}

export const makeApiClient = ({ url, token, caPem }: { url: string; token: string; caPem?: string }): Api => {
  const send = async (
    method: string,
    target: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<{ status: number; text: string }> => {
    if (caPem !== undefined) return sendTls(method, target, headers, body, caPem)
    const response = await fetch(target, { method, headers, ...(body === undefined ? {} : { body }) })
    return { status: response.status, text: await response.text() }
  }
  const raw = async (method: string, path: string, data?: unknown): Promise<ApiAnswer> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' }
    const { status, text } = await send(method, `${url}/api/v2/${path}`, headers, data === undefined ? undefined : JSON.stringify({ data }))
    return { status, text, body: text.startsWith('{') ? (JSON.parse(text) as ApiBody) : ({} as ApiBody) }
  }
  return {
    raw,
    call: async (method, path, data) => {
      const { status, text, body } = await raw(method, path, data)
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
      return body
    },
    text: async (target) => {
      const { status, text } = await send('GET', target, {})
      if (status >= 300) throw new Error(`GET ${target}: ${status} ${text}`)
      return text
    },
  }
}

const sendTls = (
  method: string,
  target: string,
  headers: Record<string, string>,
  body: string | undefined,
  ca: string,
): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const call = request(target, { method, headers, ca, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    call.once('error', reject)
    call.end(body)
  })
