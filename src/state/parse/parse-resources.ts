import { cleanText } from './clean-text.ts'
import { type JsonCursor, readItems, readKeys, readText, readValue, skipValue } from './json-cursor.ts'

export type ParsedResource = {
  mode: 'managed' | 'data'
  type: string
  name: string
  /** Module address as written, e.g. `module.a["x"]`; undefined for the root. */
  module: string | undefined
  provider: string
  /** JSON text of the index key of each instance, null without count and for_each. */
  keys: (string | null)[]
}

/** Adds the key of the instance at the cursor; an object that is kept only until it is destroyed is no instance. */
const readInstance = (cursor: JsonCursor, keys: ParsedResource['keys']): void => {
  let key: string | null = null
  let isDeposed = false
  for (const member of readKeys(cursor)) {
    if (member === 'index_key') {
      const text = readText(cursor)
      JSON.parse(text)
      key = text === 'null' ? null : text
    } else {
      isDeposed ||= member === 'deposed'
      skipValue(cursor)
    }
  }
  if (!isDeposed) keys.push(key)
}

const readString = (cursor: JsonCursor): string => {
  const value = readValue(cursor)
  return typeof value === 'string' ? cleanText(value) : ''
}

function* parseResource(cursor: JsonCursor): Generator<void, ParsedResource> {
  const resource: ParsedResource = { mode: 'managed', type: '', name: '', module: undefined, provider: '', keys: [] }
  for (const member of readKeys(cursor)) {
    if (member === 'mode') resource.mode = readString(cursor) === 'data' ? 'data' : 'managed'
    else if (member === 'type') resource.type = readString(cursor)
    else if (member === 'name') resource.name = readString(cursor)
    else if (member === 'module') resource.module = readString(cursor) || undefined
    else if (member === 'provider') resource.provider = readString(cursor)
    else if (member === 'instances') {
      for (const _ of readItems(cursor)) {
        readInstance(cursor, resource.keys)
        yield
      }
    } else skipValue(cursor)
  }
  return resource
}

/** The `resources` of a state at the cursor; those without an instance are left out. Throws SyntaxError. */
export function* parseResources(cursor: JsonCursor): Generator<void, ParsedResource[]> {
  const resources: ParsedResource[] = []
  for (const _ of readItems(cursor)) {
    const resource = yield* parseResource(cursor)
    if (resource.keys.length > 0) resources.push(resource)
  }
  return resources
}
