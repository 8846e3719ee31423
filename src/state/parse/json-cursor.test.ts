import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JsonCursor, readItems, readKeys, readText, readValue, skipValue } from './json-cursor.ts'

const cursorOf = (text: string): JsonCursor => ({ bytes: Buffer.from(text), at: 0 })

const isSkippedOrRefused = (bytes: Buffer): boolean => {
  try {
    skipValue({ bytes, at: 0 })
    return true
  } catch (error) {
    return error instanceof SyntaxError
  }
}

/** Walks the whole document with the cursor. */
const walk = (cursor: JsonCursor, like: unknown): unknown => {
  if (Array.isArray(like)) {
    const items: unknown[] = []
    for (const _ of readItems(cursor)) items.push(walk(cursor, like[items.length]))
    return items
  }
  if (typeof like === 'object' && like !== null) {
    const members: [string, unknown][] = []
    for (const key of readKeys(cursor)) members.push([key, walk(cursor, (like as Record<string, unknown>)[key])])
    return Object.fromEntries(members)
  }
  return readValue(cursor)
}

const spaced = fc
  .tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t', '\r\n'))
  .map(([value, space]) => ` ${JSON.stringify(value, null, space)}\n`)

describe('json cursor', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(spaced, (text) => {
        const value: unknown = JSON.parse(text)
        const cursor = cursorOf(text)
        expect(walk(cursor, value)).toEqual(value)
        expect(cursor.bytes.subarray(cursor.at).toString().trim()).toBe('')
      }),
    )
  })

  it('skips a value as one, and gives its text as it is', () => {
    fc.assert(
      fc.property(spaced, (text) => {
        const cursor = cursorOf(`[${text},"next"]`)
        const texts: string[] = []
        for (const _ of readItems(cursor)) texts.push(readText(cursor))
        expect(texts).toEqual([text.trim(), '"next"'])
      }),
    )
  })

  it('has no keys in what is no object, and no items in what is no list', () => {
    for (const text of ['null', '1', '"x"', '[1,{"a":2}]', '{}']) {
      const cursor = cursorOf(`[${text},7]`)
      const values: unknown[] = []
      for (const _ of readItems(cursor)) {
        expect([...(values.length === 0 ? readKeys(cursor) : [])]).toEqual([])
        values.push(values.length === 0 ? text : readValue(cursor))
      }
      expect(values).toEqual([text, 7])
    }
    const cursor = cursorOf('{"a":1} 5')
    expect([...readItems(cursor)]).toEqual([])
    expect(readValue(cursor)).toBe(5)
  })

  it('throws SyntaxError, and only that, at broken documents', () => {
    const broken = [
      '',
      '{',
      '[',
      '"abc',
      '"\\',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":1,',
      '{a:1}',
      '[1 2]',
      '{"a" 1}',
      '}',
      ',',
      '{"a\n":1}',
      '[1,2',
    ]
    for (const text of broken) {
      const run = () => {
        const cursor = cursorOf(text)
        if (text.startsWith('{')) for (const _ of readKeys(cursor)) skipValue(cursor)
        else if (text.startsWith('[')) for (const _ of readItems(cursor)) skipValue(cursor)
        else skipValue(cursor)
      }
      expect(run).toThrow(SyntaxError)
    }
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(isSkippedOrRefused(Buffer.from(bytes))).toBe(true)
      }),
    )
  })

  it('does not mind depth', () => {
    const cursor = cursorOf(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)
    skipValue(cursor)
    expect(cursor.at).toBe(400_000)
  })
})
