import type { DocumentReply } from '../reply.ts'
import { type Page, paginate } from './pagination.ts'
import { restoreRawJson } from './raw-json.ts'
import type { Resource } from './resource.ts'

export const JSON_API = 'application/vnd.api+json'

type Place = { url: string; query: URLSearchParams; page: Page }

/** The text of a document. `included` is undefined when no path was asked for. */
export const serialize = (reply: DocumentReply, included: Resource[] | undefined, place: Place): string => {
  const pages = reply.extent === undefined ? undefined : paginate(place.url, place.query, place.page, reply.extent)
  const meta = pages === undefined ? reply.meta : { ...reply.meta, pagination: pages.pagination }
  return restoreRawJson(JSON.stringify({ data: reply.data, included, links: pages?.links, meta }))
}
