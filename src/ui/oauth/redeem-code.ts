import type { Accounts } from '../../accounts/index.ts'

/** The token endpoint (RFC 6749, 4.1.3 and 5): 200 with the token, or 400 with an error code. */
export const redeemCode = async (accounts: Pick<Accounts, 'redeemAuthorizationCode'>, form: URLSearchParams): Promise<Response> => {
  const value = (name: string): string => form.get(name) ?? ''
  if (form.get('grant_type') === null) return refuse('invalid_request', 'grant_type is missing')
  if (value('grant_type') !== 'authorization_code') return refuse('unsupported_grant_type', 'grant_type must be authorization_code')
  const missing = ['code', 'code_verifier', 'client_id', 'redirect_uri'].find((name) => value(name) === '')
  if (missing !== undefined) return refuse('invalid_request', `${missing} is missing`)
  const token = await accounts.redeemAuthorizationCode({
    code: value('code'),
    codeVerifier: value('code_verifier'),
    clientId: value('client_id'),
    redirectUri: value('redirect_uri'),
  })
  if (token === undefined) return refuse('invalid_grant', 'the code is unknown, used or expired, or was not given for this request')
  return answer(200, { access_token: token, token_type: 'bearer' })
}

const refuse = (error: string, description: string): Response => answer(400, { error, error_description: description })

const answer = (status: number, body: Record<string, string>): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' },
  })
