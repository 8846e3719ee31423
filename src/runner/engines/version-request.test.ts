import { describe, expect, it } from 'vitest'
import { parseVersionRequest } from './version-request.ts'

const versions = [
  '0.12.31',
  '0.15.5',
  '1.0.0',
  '1.1.9',
  '1.2.0-rc1',
  '1.2.0',
  '1.2.3',
  '1.3.0',
  '1.11.0-alpha20250101',
  '1.11.0',
  '1.11.4',
  '2.0.0',
]

const matching = (requested: string): string[] | undefined => {
  const request = parseVersionRequest(requested)
  if (request === undefined) return undefined
  return versions.filter((version) => {
    if (request.kind === 'exact') return request.version === version
    return request.kind === 'latest' || request.matches(version)
  })
}

describe('parseVersionRequest', () => {
  it.each<[string, string[]]>([
    ['1.11.4', ['1.11.4']],
    [' 1.11.4 ', ['1.11.4']],
    ['= 1.11.4', ['1.11.4']],
    ['=1.11.4', ['1.11.4']],
    ['1.11', ['1.11.0']],
    ['2', ['2.0.0']],
    ['1.2.0-rc1', ['1.2.0-rc1']],
    ['1.11.0-alpha20250101', ['1.11.0-alpha20250101']],
    ['~> 1.11.0', ['1.11.0', '1.11.4']],
    ['~>1.11.1', ['1.11.4']],
    ['~> 1.2', ['1.2.0', '1.2.3', '1.3.0', '1.11.0', '1.11.4']],
    ['~> 1', ['1.0.0', '1.1.9', '1.2.0', '1.2.3', '1.3.0', '1.11.0', '1.11.4', '2.0.0']],
    ['>= 1.2, < 2', ['1.2.0', '1.2.3', '1.3.0', '1.11.0', '1.11.4']],
    ['>=1.2,<1.11.4', ['1.2.0', '1.2.3', '1.3.0', '1.11.0']],
    ['> 1.11.0', ['1.11.4', '2.0.0']],
    ['<= 0.15.5', ['0.12.31', '0.15.5']],
    ['!= 1.2.3, ~> 1.2.0', ['1.2.0']],
    ['>= 1.2.0-rc1, <= 1.2.0', ['1.2.0']],
    ['= 1.2.0, != 1.2.0', []],
    ['>= 999', []],
  ])('%s matches %j', (requested, expected) => {
    expect(matching(requested)).toEqual(expected)
  })

  it.each([
    '',
    'nope',
    '1.x.y',
    'v1.2.3',
    '1.2.3.4',
    '01.2.3',
    '1.2.',
    '1.2.3-',
    '>= ',
    '>= 1.2,',
    '=> 1.2',
    '^1.2',
    '1.2 || 1.3',
    '>= 1.2 < 2',
    'latest, 1.2',
    '../../etc',
    '9'.repeat(40),
    `1.2.3-${'a'.repeat(500)}`,
  ])('refuses %j', (requested) => {
    expect(parseVersionRequest(requested)).toBeUndefined()
  })

  it('names the versions that a match must reach', () => {
    const request = parseVersionRequest('>= 1.2, < 2, != 1.3.0')
    expect(request).toMatchObject({ kind: 'constraint', lowerBounds: ['1.2.0'] })
    expect(parseVersionRequest('latest')).toEqual({ kind: 'latest' })
  })
})
