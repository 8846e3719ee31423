import type { Hono } from 'hono'
import type { AnswerToCheck } from './answer-checker.ts'

/** From now on `check` sees every answer to `app.request`; what it throws fails the request. */
export const checkRequests = (app: Hono, check: (answer: AnswerToCheck) => void): void => {
  const request = app.request
  app.request = async (...args) => {
    const response = await request(...args)
    const [target, init] = args
    const { method, url } =
      target instanceof Request ? target : new Request(new URL(target, 'http://terrane.test'), { method: init?.method })
    const contentType = response.headers.get('content-type') ?? undefined
    const isText = contentType === undefined || contentType.includes('json')
    check({
      method,
      path: new URL(url).pathname,
      status: response.status,
      contentType,
      text: isText ? await response.clone().text() : undefined,
    })
    return response
  }
}
