import { compare, parse, type SemVer } from 'semver'

/** What a workspace's `terraform-version` asks for. `lowerBounds` are the versions that a match must reach, for judging plausibility. */
export type VersionRequest =
  | { kind: 'latest' }
  | { kind: 'exact'; version: string }
  | { kind: 'constraint'; lowerBounds: string[]; matches: (version: string) => boolean }

type Term = { operator: string; bound: SemVer; segments: number }

const termPattern = /^(=|!=|>=|<=|>|<|~>)?\s*((?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){0,2}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)$/
const longestRequest = 200

/**
 * Parses `latest`, `1.11.4` or a constraint in Terraform's syntax (`~> 1.11.0`, `>= 1.2, < 2`); undefined when it is none.
 * Rules of Terraform's go-version: missing segments count as 0, so `1.11` is exactly 1.11.0; `~>` lets the last written segment grow.
 * A prerelease is only matched by `=` or as an exact version.
 */
export const parseVersionRequest = (requested: string): VersionRequest | undefined => {
  const text = requested.trim()
  if (text.length > longestRequest) return undefined
  if (text === 'latest') return { kind: 'latest' }
  const terms = text.split(',').map(parseTerm)
  if (!terms.every((term) => term !== undefined)) return undefined
  const [only] = terms
  if (terms.length === 1 && only?.operator === '=') return { kind: 'exact', version: only.bound.version }
  return {
    kind: 'constraint',
    lowerBounds: terms.filter(({ operator }) => !operator.startsWith('<') && operator !== '!=').map(({ bound }) => bound.version),
    matches: (version) => {
      const candidate = parse(version)
      return candidate !== null && terms.every((term) => satisfies(candidate, term))
    },
  }
}

const parseTerm = (text: string): Term | undefined => {
  const [, operator = '=', written] = termPattern.exec(text.trim()) ?? []
  if (written === undefined) return undefined
  const [numbers = '', ...prerelease] = written.split('-')
  const segments = numbers.split('.')
  const bound = parse([[...segments, '0', '0'].slice(0, 3).join('.'), ...prerelease].join('-'))
  return bound === null ? undefined : { operator, bound, segments: segments.length }
}

const satisfies = (candidate: SemVer, { operator, bound, segments }: Term): boolean => {
  const order = compare(candidate, bound)
  if (operator === '=') return order === 0
  if (operator === '!=') return order !== 0 && candidate.prerelease.length === 0
  if (candidate.prerelease.length > 0) return false
  switch (operator) {
    case '>':
      return order > 0
    case '>=':
      return order >= 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    default:
      return order >= 0 && (segments < 2 || candidate.major === bound.major) && (segments < 3 || candidate.minor === bound.minor)
  }
}
