import { AppError } from '../../platform/errors.ts'

const MAX_BYTES = 64 * 1024

/** A form as browsers send it by default. Throws UNSUPPORTED_MEDIA_TYPE and TOO_LARGE. */
export const readForm = async (request: Request): Promise<URLSearchParams> => {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Forms are sent as application/x-www-form-urlencoded.')
  const tooLarge = () => new AppError('TOO_LARGE', 'The form is larger than 64 KiB.')
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BYTES) throw tooLarge()
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of request.body ?? []) {
    bytes += part.length
    if (bytes > MAX_BYTES) throw tooLarge()
    parts.push(part)
  }
  return new URLSearchParams(Buffer.concat(parts).toString('utf8'))
}
