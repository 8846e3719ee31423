import { loginService } from '../../api/index.ts'
import { AppError } from '../../platform/errors.ts'

export type AuthorizeRequest = { clientId: string; redirectUri: string; codeChallenge: string; state: string }

/** What `terraform login` asks for. Throws BAD_REQUEST: nothing is sent to an address that we do not know to be terraform's. */
export const parseAuthorizeRequest = (query: URLSearchParams): AuthorizeRequest => {
  const request = {
    clientId: query.get('client_id') ?? '',
    redirectUri: query.get('redirect_uri') ?? '',
    codeChallenge: query.get('code_challenge') ?? '',
    state: query.get('state') ?? '',
  }
  const refuse = (why: string) => new AppError('BAD_REQUEST', `${why} Start again with terraform login.`)
  if (request.clientId !== loginService('').client) throw refuse('The program that asks is not known here.')
  if (!isTerraform(request.redirectUri)) throw refuse('The answer would not go to a terraform on this machine.')
  if (query.get('response_type') !== 'code') throw refuse('Only authorization codes are given (response_type=code).')
  if (query.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(request.codeChallenge))
    throw refuse('The request has no proof key (code_challenge with S256).')
  if (request.state.length > 1000) throw refuse('The request is too long.')
  return request
}

const isTerraform = (uri: string): boolean => {
  const [min, max] = loginService('').ports
  const port = Number(/^http:\/\/(?:localhost|127\.0\.0\.1):(\d{4,5})\/login$/.exec(uri)?.[1])
  return port >= min && port <= max
}
