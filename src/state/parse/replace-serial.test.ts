import { describe, expect, it } from 'vitest'
import { replaceSerial } from './replace-serial.ts'

const replaced = (text: string): string => Buffer.concat(replaceSerial(Buffer.from(text), 42)).toString()

describe('replaceSerial', () => {
  it('changes the number and nothing else', () => {
    expect(replaced('{\n  "a": {"serial": 1},\n  "serial": 7,\n  "big": 9007199254740993, "f":1.0}\n')).toBe(
      '{\n  "a": {"serial": 1},\n  "serial": 42,\n  "big": 9007199254740993, "f":1.0}\n',
    )
  })

  it('leaves alone what has no serial', () => {
    for (const text of ['', '{}', '[1]', '{"serial"', '{"outputs":{"serial":{"value":1}}}']) expect(replaced(text)).toBe(text)
  })
})
