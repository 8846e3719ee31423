import { describe, expect, it } from 'vitest'
import type { VariableRow } from '../workspaces/index.ts'
import { effectiveVariables, type ReachingSet } from './effective-variables.ts'

const fields = { valueSealed: Buffer.alloc(0), isHcl: false, isSensitive: false, description: '', versionId: '', createdAt: new Date(0) }
const own = (id: string, key = 'k', category: 'terraform' | 'env' = 'terraform'): VariableRow => ({
  ...fields,
  id,
  key,
  category,
  workspaceId: 'ws',
})

type Shape = Partial<ReachingSet['set']> & { on?: ('workspace' | 'project')[]; keys?: string[] }

const setOf = (name: string, { on = [], keys = ['k'], ...shape }: Shape): ReachingSet => ({
  set: { id: name, name, projectId: null, isGlobal: false, isPriority: false, ...shape },
  isOnWorkspace: on.includes('workspace'),
  isOnProject: on.includes('project'),
  variables: keys.map((key) => ({ ...fields, id: `${name}/${key}`, key, category: 'terraform', variableSetId: name })),
})

/** The levels of the platform's precedence, strongest first; the workspace's own variables stand between the two halves. */
const strong = [
  setOf('1', { isPriority: true, isGlobal: true }),
  setOf('2', { isPriority: true, on: ['project'] }),
  setOf('3', { isPriority: true, on: ['workspace'] }),
  setOf('4', { isPriority: true, projectId: 'prj', on: ['project'] }),
  setOf('5', { isPriority: true, projectId: 'prj', on: ['workspace'] }),
]
const weak = [
  setOf('9', { projectId: 'prj', on: ['workspace'] }),
  setOf('10', { projectId: 'prj', on: ['project'] }),
  setOf('11', { on: ['workspace'] }),
  setOf('12', { on: ['project'] }),
  setOf('13', { isGlobal: true }),
]
const winner = (variables: readonly VariableRow[], sets: readonly ReachingSet[]): string | undefined =>
  effectiveVariables(variables, sets).find(({ row }) => row.key === 'k')?.row.id

describe('effectiveVariables', () => {
  const all = [...strong, ...weak]
  const pairs = all.flatMap((one, at) => all.slice(at + 1).map((other): [string, string] => [one.set.name, other.set.name]))

  it.each(pairs)('a set of level %s beats one of level %s, in whatever order they come', (one, other) => {
    const both = all.filter(({ set }) => set.name === one || set.name === other)
    expect(winner([], both)).toBe(`${one}/k`)
    expect(winner([], both.toReversed())).toBe(`${one}/k`)
  })

  it.each(strong.map(({ set }) => [set.name]))('the workspace loses to a set of level %s, which has priority', (name) => {
    const [variable] = effectiveVariables(
      [own('mine')],
      strong.filter(({ set }) => set.name === name),
    )
    expect(variable).toMatchObject({ row: { id: `${name}/k` }, isPriority: true })
  })

  it.each(weak.map(({ set }) => [set.name]))('the workspace beats a set of level %s', (name) => {
    const variables = effectiveVariables(
      [own('mine')],
      weak.filter(({ set }) => set.name === name),
    )
    expect(variables).toMatchObject([{ row: { id: 'mine' }, isPriority: false }])
  })

  it('on one level the set whose name comes first by code points wins, whatever its case', () => {
    expect(winner([], [setOf('b', { isGlobal: true }), setOf('a', { isGlobal: true })])).toBe('a/k')
    expect(winner([], [setOf('a', { isGlobal: true }), setOf('Z', { isGlobal: true })])).toBe('Z/k')
    // U+FF5E is one UTF-16 unit above the surrogates of U+1F600
    expect(winner([], [setOf('\u{1F600}', { isGlobal: true }), setOf('\uFF5E', { isGlobal: true })])).toBe('\uFF5E/k')
  })

  it('a set that is applied to the workspace and to its project has the stronger of the two levels', () => {
    const both = setOf('z', { on: ['workspace', 'project'] })
    expect(winner([], [both, setOf('a', { on: ['project'] })])).toBe('z/k')
    const strongBoth = setOf('z', { isPriority: true, on: ['workspace', 'project'] })
    expect(winner([], [strongBoth, setOf('a', { isPriority: true, on: ['workspace'] })])).toBe('z/k')
  })

  it('categories and keys do not mix, and the workspace comes first', () => {
    const sets = [setOf('s', { isGlobal: true, keys: ['k', 'other'] })]
    expect(effectiveVariables([own('env', 'k', 'env'), own('mine', 'last')], sets).map(({ row }) => row.id)).toEqual([
      'env',
      'mine',
      's/k',
      's/other',
    ])
  })
})
