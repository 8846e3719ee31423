import { describe, expect, it } from 'vitest'
import { parseDurationMs } from './parse-duration.ts'

describe('a duration', () => {
  it.each([
    ['45s', 45_000],
    ['90m', 5_400_000],
    ['2h', 7_200_000],
    ['1h30m', 5_400_000],
    ['1d', 86_400_000],
    [' 1h0m1s ', 3_601_000],
    ['', undefined],
    ['0s', undefined],
    ['5', undefined],
    ['-5m', undefined],
    ['1.5h', undefined],
    ['30m1h', undefined],
    ['forever', undefined],
  ])('%j is %s ms', (text, expected) => {
    expect(parseDurationMs(text)).toBe(expected)
  })
})
