import { z } from 'zod'
import { parseWith } from './jsonapi/invalid.ts'

const NONE = new URLSearchParams()

/** The query of a URL; shared and never changed when there is none. */
export const searchParams = (url: string): URLSearchParams => {
  const mark = url.indexOf('?')
  return mark < 0 || mark === url.length - 1 ? NONE : new URLSearchParams(url.slice(mark + 1))
}

/** Query member holding several values separated by commas; empty ones are dropped. */
export const commaList = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)

/** Reads the declared members of a query; unknown ones are ignored, repeated ones joined by commas. Throws 400 naming the parameter. */
export const makeQueryReader = (schema: z.ZodObject): ((query: URLSearchParams) => unknown) => {
  const names = Object.keys(schema.shape)
  return (query) => {
    const values: Record<string, string> = {}
    for (const name of names) if (query.has(name)) values[name] = query.getAll(name).join(',')
    return parseWith(schema, values, (path) => ({ parameter: String(path[0]) }), 'BAD_REQUEST')
  }
}
