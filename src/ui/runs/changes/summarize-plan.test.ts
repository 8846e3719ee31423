import { describe, expect, it } from 'vitest'
import { planDocument } from './plan-document.ts'
import { summarizePlan } from './summarize-plan.ts'

const change = (actions: string[], more: Record<string, unknown> = {}) => ({ actions, before: null, after: null, ...more })
const summarize = (...resources: Record<string, unknown>[]) => summarizePlan(planDocument.parse({ resource_changes: resources }))
const attributes = (of: Record<string, unknown>) => summarize({ address: 'a', change: change(['update'], of) }).resources[0]

describe('summarizePlan', () => {
  it.each([
    [['create'], 'create'],
    [['delete'], 'delete'],
    [['update'], 'update'],
    [['read'], 'read'],
    [['forget'], 'forget'],
    [['delete', 'create'], 'replace'],
    [['create', 'delete'], 'replace'],
  ])('takes %j for %s', (actions, action) => {
    expect(summarize({ address: 'a', change: change(actions) }).resources).toMatchObject([{ address: 'a', action }])
  })

  it('leaves out what stays, but tells of moves and imports', () => {
    const { resources } = summarize(
      { address: 'stays', change: change(['no-op']) },
      { address: 'new', previous_address: 'old', change: change(['no-op']) },
      { address: 'imported', change: change(['no-op'], { importing: { id: 'i-1' } }) },
    )
    expect(resources).toMatchObject([
      { address: 'new', action: 'move', note: 'moved from old' },
      { address: 'imported', action: 'import', note: 'will be imported' },
    ])
  })

  it('tells of attributes, and inside of objects only of what changes', () => {
    expect(
      attributes({ before: { id: '1', tags: { a: 'x', b: 'y' }, gone: true }, after: { id: '1', tags: { a: 'x', b: 'z' }, size: 3 } }),
    ).toMatchObject({
      changes: [
        { name: 'tags.b', kind: 'change', before: '"y"', after: '"z"' },
        { name: 'gone', kind: 'remove', before: 'true' },
        { name: 'size', kind: 'add', after: '3' },
      ],
      unchanged: 2,
    })
  })

  it('shows no sensitive value, wherever it is, and says what is known later only', () => {
    const resource = attributes({
      before: { password: 'old secret', list: ['secret', 'b'], object: { key: 'secret', other: 1 } },
      after: { password: 'new secret', list: ['secret', 'c'], object: { key: 'secret2', other: 2 } },
      after_unknown: { id: true, list: [false, false] },
      before_sensitive: { password: true, list: [true, false], object: { key: true } },
      after_sensitive: { password: true, list: [true, false], object: { key: true } },
    })
    expect(JSON.stringify(resource)).not.toContain('secret2')
    expect(JSON.stringify(resource)).not.toMatch(/"(?:old|new)? ?secret/)
    expect(resource?.changes).toEqual([
      { name: 'password', kind: 'change', before: '(sensitive value)', after: '(sensitive value)', forcesReplacement: false },
      {
        name: 'list',
        kind: 'change',
        before: '[\n  (sensitive value),\n  "b",\n]',
        after: '[\n  (sensitive value),\n  "c",\n]',
        forcesReplacement: false,
      },
      { name: 'object.key', kind: 'change', before: '(sensitive value)', after: '(sensitive value)', forcesReplacement: false },
      { name: 'object.other', kind: 'change', before: '1', after: '2', forcesReplacement: false },
      { name: 'id', kind: 'add', after: '(known after apply)', forcesReplacement: false },
    ])
  })

  it('counts a value that becomes sensitive as changed', () => {
    expect(attributes({ before: { a: 1 }, after: { a: 1 }, before_sensitive: {}, after_sensitive: { a: true } })?.changes).toHaveLength(1)
  })

  it('names what forces a replacement', () => {
    const resource = attributes({ before: { a: 1, b: 1 }, after: { a: 2, b: 2 }, replace_paths: [['a']] })
    expect(resource?.changes.map(({ name, forcesReplacement }) => [name, forcesReplacement])).toEqual([
      ['a', true],
      ['b', false],
    ])
  })

  it('writes texts of many lines as such, and keys that are no names in quotes', () => {
    expect(
      attributes({ before: null, after: { text: 'one\ntwo\n', map: { 'a b': [], c: {} } } })?.changes.map(({ after }) => after),
    ).toEqual(['<<-EOT\n    one\n    two\nEOT', '{\n  "a b" = []\n  c = {}\n}'])
  })

  it('tells of outputs and drift', () => {
    const { outputs, drift } = summarizePlan(
      planDocument.parse({
        output_changes: {
          same: change(['no-op'], { before: 1, after: 1 }),
          url: change(['update'], { before: 'a', after: 'b' }),
          secret: change(['create'], { after: 'x', after_sensitive: true }),
        },
        resource_drift: [{ address: 'a', change: change(['update'], { before: { n: 1 }, after: { n: 2 } }) }],
      }),
    )
    expect(outputs).toEqual([
      { name: 'url', kind: 'change', before: '"a"', after: '"b"' },
      { name: 'secret', kind: 'add', after: '(sensitive value)' },
    ])
    expect(drift).toMatchObject([{ address: 'a', changes: [{ name: 'n' }] }])
  })

  it('shows 500 resources and counts the rest', () => {
    const many = Array.from({ length: 503 }, (_, index) => ({ address: `a[${index}]`, change: change(['create']) }))
    expect(summarize(...many)).toMatchObject({ omitted: 3, resources: { length: 500 } })
  })
})
