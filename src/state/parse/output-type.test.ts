import { describe, expect, it } from 'vitest'
import { outputType } from './output-type.ts'

describe('outputType', () => {
  it.each([
    ['"string"', 'null', 'string'],
    ['"bool"', 'true', 'boolean'],
    ['"number"', '1', 'number'],
    ['["set","string"]', '[]', 'array'],
    ['["map","string"]', '{}', 'object'],
    ['["object",{}]', 'null', 'object'],
    ['"dynamic"', '{}', 'object'],
    ['"__proto__"', '-1', 'number'],
    ['{"odd":1}', '"x"', 'string'],
    [undefined, 'false', 'boolean'],
    [undefined, '[1]', 'array'],
    [undefined, '-0.0', 'number'],
    [undefined, 'null', 'string'],
  ])('%s with %s is %s', (detailedType, value, type) => {
    expect(outputType(detailedType, value)).toBe(type)
  })
})
