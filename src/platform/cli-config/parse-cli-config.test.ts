import { describe, expect, it } from 'vitest'
import { parseCliConfig } from './parse-cli-config.ts'

describe('parseCliConfig', () => {
  it('splits native syntax into entries with their own text', () => {
    const block = 'provider_installation {\n  filesystem_mirror { path = "/a}b" } # }\n  direct { exclude = ["x/*/*", "y"] }\n}'
    const text = `# head { \nplugin_cache_dir = "$HOME/c" // tail\n/* { */ ${block}\n"credentials" "x.example" { token = "a\\"}\${"b"}" }, disable_checkpoint = true`
    expect(parseCliConfig(text)).toEqual([
      { keys: ['plugin_cache_dir'], text: 'plugin_cache_dir = "$HOME/c"', value: '"$HOME/c"' },
      { keys: ['provider_installation'], text: block },
      { keys: ['credentials', 'x.example'], text: '"credentials" "x.example" { token = "a\\"}${"b"}" }' },
      { keys: ['disable_checkpoint'], text: 'disable_checkpoint = true', value: 'true' },
    ])
  })

  it('reads heredocs, lists and nothing', () => {
    expect(parseCliConfig('a = <<EOF\n}\n EOF\nb = [1, "]", { c = 2 }]').map(({ text }) => text)).toEqual([
      'a = <<EOF\n}\n EOF',
      'b = [1, "]", { c = 2 }]',
    ])
    expect(parseCliConfig(' \n# only a comment')).toEqual([])
  })

  it('translates JSON', () => {
    const items = parseCliConfig(
      JSON.stringify({
        credentials: { 'x.example': { token: 'a"${b}' }, 'y.example': { token: 'c' } },
        plugin_cache_dir: '/c',
        disable_checkpoint: true,
        provider_installation: [{ filesystem_mirror: { path: '/m', include: ['a/*/*'] }, direct: {} }],
      }),
    )
    expect(items).toEqual([
      { keys: ['credentials', 'x.example'], text: 'credentials "x.example" {\n  token = "a\\"\\u0024{b}"\n}' },
      { keys: ['credentials', 'y.example'], text: 'credentials "y.example" {\n  token = "c"\n}' },
      { keys: ['plugin_cache_dir'], text: 'plugin_cache_dir = "/c"', value: '"/c"' },
      { keys: ['disable_checkpoint'], text: 'disable_checkpoint = true', value: 'true' },
      {
        keys: ['provider_installation'],
        text: 'provider_installation {\n  filesystem_mirror {\n    path = "/m"\n    include = ["a/*/*"]\n  }\n  direct {\n  }\n}',
      },
    ])
  })

  it.each([
    ['a = "x\nb = 1', /line 1: the string is not closed/],
    ['\na = /* x', /line 2: the comment is not closed/],
    ['a = <<EOF\nx', /heredoc is not closed/],
    ['a {\n b {\n}', /line 1: the bracket is not closed/],
    ['a {\n ] }', /line 2: a bracket does not match/],
    ['a', /expected "=" or "{"/],
    ['a = ', /a value is missing/],
    ['a = = 1', /a value is missing/],
    ['}', /a name is missing/],
    ['a < 1', /unexpected character/],
    ['{"a": ', /not valid JSON/],
    ['{"a": null}', /not valid JSON/],
    ['{"credentials": {"x": "secret-token"}}', /must be an object/],
  ])('refuses %j', (text, reason) => {
    expect(() => parseCliConfig(text)).toThrow(reason)
    expect(() => parseCliConfig(text)).not.toThrow(/secret-token/)
  })

  it('bears deep nesting and long input', () => {
    expect(parseCliConfig(`a ${'{ b '.repeat(50_000)}${'}'.repeat(50_000)}`)).toHaveLength(1)
    expect(() => parseCliConfig('/'.repeat(100_000))).not.toThrow()
  })
})
