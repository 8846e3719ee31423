import { describe, expect, it } from 'vitest'
import { parseTagged } from './parse-tagged.ts'

describe('parseTagged', () => {
  it.each([
    ['/w', []],
    ['/w?', []],
    ['/w?filter[tagged][0][value]=x', []],
    ['/w?filter[tagged][x][key]=a&filter[tagged][key]=b&filter[tagged][0][other]=c', []],
    ['/w?filter[tagged][0][key]=a&filter[tagged][0][value]=', [{ key: 'a', value: undefined }]],
    ['/w?filter%5Btagged%5D%5B7%5D%5Bvalue%5D=1%2C2&filter%5Btagged%5D%5B7%5D%5Bkey%5D=a', [{ key: 'a', value: '1,2' }]],
  ])('%s', (url, expected) => {
    expect(parseTagged(url)).toEqual(expected)
  })
})
