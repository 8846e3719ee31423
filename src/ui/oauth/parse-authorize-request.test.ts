import { describe, expect, it } from 'vitest'
import { parseAuthorizeRequest } from './parse-authorize-request.ts'

const good = {
  response_type: 'code',
  client_id: 'terraform-cli',
  redirect_uri: 'http://localhost:10004/login',
  state: 's',
  code_challenge: 'A'.repeat(43),
  code_challenge_method: 'S256',
}
const parse = (more: Record<string, string> = {}) => parseAuthorizeRequest(new URLSearchParams({ ...good, ...more }))

describe('parseAuthorizeRequest', () => {
  it('takes what terraform sends', () => {
    expect(parse()).toEqual({ clientId: 'terraform-cli', redirectUri: good.redirect_uri, codeChallenge: good.code_challenge, state: 's' })
    expect(parse({ redirect_uri: 'http://127.0.0.1:10010/login' }).redirectUri).toBe('http://127.0.0.1:10010/login')
  })

  it.each<Record<string, string>>([
    { client_id: 'other' },
    { response_type: 'token' },
    { code_challenge_method: 'plain' },
    { code_challenge: '' },
    { code_challenge: 'short' },
    { state: 'x'.repeat(1001) },
    ...[
      '',
      'https://localhost:10004/login',
      'http://localhost:9999/login',
      'http://localhost:10011/login',
      'http://localhost/login',
      'http://localhost:10004/other',
      'http://localhost:10004/login?x=1',
      'http://localhost:10004/login#x',
      'http://localhost.evil.example:10004/login',
      'http://evil.example:10004/login',
      'http://user@localhost:10004/login',
      'http://[::1]:10004/login',
    ].map((redirect_uri) => ({ redirect_uri })),
  ])('refuses %j', (wrong) => expect(() => parse(wrong)).toThrow(/BAD_REQUEST/))
})
