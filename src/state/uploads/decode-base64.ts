import { invalid } from '../../platform/errors.ts'

/** Node skips what is no base64; here it is a 422 that names the attribute. */
export const decodeBase64 = (text: string, attribute: string): Buffer => {
  const bytes = Buffer.from(text, 'base64')
  const digits = text.endsWith('==') ? text.length - 2 : text.endsWith('=') ? text.length - 1 : text.length
  if (bytes.length !== Math.floor((digits * 3) / 4)) throw invalid(`The ${attribute} must be base64`, attribute)
  return bytes
}
