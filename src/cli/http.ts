import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'

type Request = {
  url: string
  token?: string | undefined
  /** Own authority of the server, trusted besides no other. */ caPem?: string | undefined
}

export type Answer = { status: number; body: string }

const TIMEOUT_MS = 5000

/** One GET to our server; rejects with the error of the network or `timeout`. Proxies of the environment are not used: it is close. */
export const get = async ({ url, token, caPem }: Request): Promise<Answer> => {
  const isTls = url.startsWith('https:')
  return new Promise((resolve, reject) => {
    const request = (isTls ? httpsRequest : httpRequest)(
      url,
      {
        headers: { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(isTls && caPem !== undefined ? { ca: caPem } : {}),
      },
      (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
      },
    )
    request.on('error', (error) => reject(error.name === 'AbortError' ? new Error(`no answer within ${TIMEOUT_MS / 1000} s`) : error))
    request.end()
  })
}
