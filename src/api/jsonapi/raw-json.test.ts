import { describe, expect, it } from 'vitest'
import { rawJson, restoreRawJson } from './raw-json.ts'

const through = (value: unknown): string => restoreRawJson(JSON.stringify(value))

describe('rawJson', () => {
  it('sends the text as it is', () => {
    const texts = ['9007199254740993', '1.0', '-0.0', '1e400', '{"b": 1, "a":2,"a":3}', '"\\u00e9 \\" \\\\ ключ"', '[ null ]', '"\\ud800"']
    for (const text of texts) expect(through({ value: rawJson(text) })).toBe(`{"value":${text}}`)
    expect(through([1, rawJson('2.0'), { a: [rawJson('"x\\\\"'), 'raw:'] }])).toBe('[1,2.0,{"a":["x\\\\","raw:"]}]')
  })

  it('changes nothing else', () => {
    const value = { text: 'raw:abc:\\"', list: [1, 'ü', null] }
    expect(through(value)).toBe(JSON.stringify(value))
  })
})
