import { Readable } from 'node:stream'
import type { Ctx } from '../platform/context.ts'
import { compress } from './compress.ts'
import type { Endpoint } from './endpoint.ts'
import type { ErrorDocument } from './jsonapi/errors.ts'
import { type Loaders, include } from './jsonapi/include.ts'
import type { Page } from './jsonapi/pagination.ts'
import { JSON_API, serialize } from './jsonapi/serialize.ts'
import type { BytesReply, DocumentReply, Reply } from './reply.ts'

type ResponseBody = ConstructorParameters<typeof Response>[0]

export type Headers = Record<string, string>

/** What was asked, as far as the answer depends on it. `url` is the one the request came by, perhaps through a proxy. */
export type Asked = {
  isHead: boolean
  url: string
  query: URLSearchParams
  page: Page
  include: readonly string[]
  /** Accept-Encoding. */
  encodings: string | undefined
}

/** Turns a reply into a response. `headers` are on every answer; those of the reply win. */
export const makeSend = ({ loaders, publicUrl }: { loaders: Loaders; publicUrl: string }) => {
  const base = publicUrl.replace(/\/+$/, '')

  const document = async (ctx: Ctx, reply: DocumentReply, asked: Asked): Promise<string> => {
    const paths = reply.include === undefined ? asked.include : [...reply.include, ...asked.include]
    const primary = Array.isArray(reply.data) ? reply.data : reply.data === null ? [] : [reply.data]
    const included = paths.length === 0 ? undefined : await include(ctx, loaders, primary, paths)
    const url = reply.extent === undefined ? '' : base + new URL(asked.url).pathname
    return serialize(reply, included, { url, query: asked.query, page: asked.page })
  }

  return async (ctx: Ctx, endpoint: Endpoint, reply: Reply, asked: Asked, headers: Headers): Promise<Response> => {
    const status = reply.status ?? endpoint.status
    const all: Headers = reply.headers === undefined ? headers : { ...headers, ...reply.headers }
    if (reply.kind === 'empty') return new Response(null, { status, headers: all })
    if (reply.kind === 'redirect') {
      return new Response(null, { status: status >= 300 && status < 400 ? status : 302, headers: { ...all, location: reply.url } })
    }
    if (reply.kind === 'bytes') return new Response(contentOf(reply, asked.isHead), { status, headers: { ...all, ...bytesHeaders(reply) } })
    const [contentType, text] =
      reply.kind === 'json' ? ['application/json', JSON.stringify(reply.value)] : [JSON_API, await document(ctx, reply, asked)]
    const { body, headers: encoding } = await compress(text, asked.encodings)
    return new Response(body, { status, headers: { ...all, ...encoding, 'content-type': contentType } })
  }
}

export const sendError = ({ status, document }: ErrorDocument, headers: Headers): Response =>
  new Response(JSON.stringify(document), { status, headers: { ...headers, 'content-type': JSON_API } })

const bytesHeaders = ({ contentType, sizeBytes }: BytesReply): Headers =>
  sizeBytes === undefined ? { 'content-type': contentType } : { 'content-type': contentType, 'content-length': String(sizeBytes) }

const contentOf = ({ content }: BytesReply, isHead: boolean): ResponseBody => {
  if (!(content instanceof Readable)) return content as ResponseBody
  if (!isHead) return Readable.toWeb(content) as ResponseBody
  content.destroy()
  return null
}
