/** The page asked for. `requested` is false when neither `page[number]` nor `page[size]` was sent. */
export type Page = { number: number; size: number; offset: number; requested: boolean }

/** What a slice knows about the whole list: its length, or (run lists of an organization) only whether more follows. */
export type Extent = { total: number } | { hasMore: boolean }

const DEFAULT_SIZE = 20
const MAX_SIZE = 100
const MAX_NUMBER = 2_147_483_647
const NUMBER = 'page[number]'
const SIZE = 'page[size]'

const firstPage: Page = { number: 1, size: DEFAULT_SIZE, offset: 0, requested: false }

const whole = (text: string | null, fallback: number, max: number): number =>
  text !== null && /^\d+$/.test(text) ? Math.min(Math.max(Number(text), 1), max) : fallback

/** Reads the page parameters: malformed values mean the default, the size is clamped to 1..100. */
export const parsePage = (query: URLSearchParams): Page => {
  if (!query.has(NUMBER) && !query.has(SIZE)) return firstPage
  const number = whole(query.get(NUMBER), 1, MAX_NUMBER)
  const size = whole(query.get(SIZE), DEFAULT_SIZE, MAX_SIZE)
  return { number, size, offset: (number - 1) * size, requested: true }
}

/** `links` and `meta.pagination` of a list. `url` is absolute and without query; the other query parameters are kept in the links. */
export const paginate = (url: string, query: URLSearchParams, page: Page, extent: Extent) => {
  const at = (number: number): string => {
    const params = new URLSearchParams(query)
    params.set(NUMBER, String(number))
    params.set(SIZE, String(page.size))
    return `${url}?${params.toString()}`
  }
  const maybe = (number: number | null): string | null => (number === null ? null : at(number))

  if ('hasMore' in extent) {
    const prev = page.number > 1 ? page.number - 1 : null
    const next = extent.hasMore ? page.number + 1 : null
    return {
      links: { self: at(page.number), prev: maybe(prev), next: maybe(next) },
      pagination: { 'current-page': page.number, 'page-size': page.size, 'prev-page': prev, 'next-page': next },
    }
  }
  const pages = Math.max(1, Math.ceil(extent.total / page.size))
  const prev = page.number > 1 ? Math.min(page.number - 1, pages) : null
  const next = page.number < pages ? page.number + 1 : null
  return {
    links: { self: at(page.number), first: at(1), prev: maybe(prev), next: maybe(next), last: at(pages) },
    pagination: {
      'current-page': page.number,
      'page-size': page.size,
      'prev-page': prev,
      'next-page': next,
      'total-pages': pages,
      'total-count': extent.total,
    },
  }
}
