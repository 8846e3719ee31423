import type { PageAnswer } from './route.ts'
import { AppError, errorCodes } from '../../platform/errors.ts'
import { Notice } from '../components/notice.tsx'

const headings: Partial<Record<number, string>> = {
  400: 'That request makes no sense to us',
  401: 'Not signed in',
  403: 'That is not allowed',
  404: 'Nothing here',
  409: 'Too late, or too early',
  410: 'This link no longer works',
  413: 'Too large',
  422: 'That was refused',
  429: 'Slow down',
  503: 'Not ready yet',
}

/** What went wrong as a page; of an error that we do not know the request id only. */
export const failurePage = (error: unknown, requestId: string): PageAnswer => {
  if (!(error instanceof AppError))
    return failure(500, 'Something broke on our side', `The log of the server has the details, under request ${requestId}.`)
  const text =
    error.code === 'NOT_FOUND' ? 'This page does not exist, or your account may not see it.' : error.detail || errorCodes[error.code].doc
  return failure(error.status, headings[error.status] ?? error.title, text)
}

const failure = (status: number, heading: string, text: string): PageAnswer => ({
  kind: 'page',
  status,
  title: heading,
  body: (
    <Notice code={String(status)} title={heading}>
      <p>{text}</p>
      <p>
        <a class="button" href="/app">
          Go to the start page
        </a>
      </p>
    </Notice>
  ),
})
