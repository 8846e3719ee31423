import type { Readable } from 'node:stream'
import type { Extent } from './jsonapi/pagination.ts'
import type { Attribute, Resource } from './jsonapi/resource.ts'

/** `status` replaces the one of the endpoint. */
type Common = { status?: number; headers?: Record<string, string> }
/** `include`: paths embedded although the caller did not ask for them. */
type Extra = Common & { meta?: Record<string, Attribute>; include?: readonly string[] }

export type DocumentReply = Extra & { kind: 'document'; data: Resource | Resource[] | null; extent?: Extent }
export type BytesReply = Common & {
  kind: 'bytes'
  content: Readable | Uint8Array | string
  contentType: string
  /** Becomes Content-Length; leave out when unknown. */
  sizeBytes?: number
}
export type JsonReply = Common & { kind: 'json'; value: unknown }
export type RedirectReply = Common & { kind: 'redirect'; url: string }
export type EmptyReply = Common & { kind: 'empty' }

export type Reply = DocumentReply | BytesReply | JsonReply | RedirectReply | EmptyReply

/** One resource. */
export const one = (data: Resource | null, more: Extra = {}): DocumentReply => ({ kind: 'document', data, ...more })

/** A whole list, without pagination. */
export const many = (data: Resource[], more: Extra = {}): DocumentReply => ({ kind: 'document', data, ...more })

/** The page `input.page` of a list. `total` is the length of the whole list; links and `meta.pagination` are added by the server. */
export const paged = (data: Resource[], total: number | { hasMore: boolean }, more: Extra = {}): DocumentReply => ({
  kind: 'document',
  data,
  extent: typeof total === 'number' ? { total } : total,
  ...more,
})

/** Raw bytes; a stream is destroyed when the client leaves. */
export const download = (reply: Omit<BytesReply, 'kind'>): BytesReply => ({ kind: 'bytes', ...reply })

/** Plain JSON, no JSON:API envelope. */
export const json = (value: unknown, more: Common = {}): JsonReply => ({ kind: 'json', value, ...more })

/** 302 unless the endpoint or `status` says 307. */
export const redirect = (url: string, more: Common = {}): RedirectReply => ({ kind: 'redirect', url, ...more })

/** No body: 204, or the status of the endpoint (202 for run actions). */
export const empty = (more: Common = {}): EmptyReply => ({ kind: 'empty', ...more })
