import { AppError } from '../../platform/errors.ts'

const CHARACTERS = /^[\p{L}\p{Nd}_.=+\-@:]*$/u
const RESERVED = /^(hc|hcp):/i

const refused = (detail: string): AppError => new AppError('INVALID', detail)

/** A flat tag or the key of a binding. Case is kept: Terraform compares what it reads with its configuration. Throws INVALID. */
export const checkTagKey = (key: string | undefined, what: 'Name' | 'Key', maxLength: number): string => {
  if (key === undefined || key === '') throw refused(`${what} can't be blank`)
  if (key.length > maxLength) throw refused(`${what} is too long (maximum is ${maxLength} characters)`)
  if (!CHARACTERS.test(key)) throw refused(`${what} may only contain letters, numbers and the characters _ . = + - @ :`)
  if (RESERVED.test(key)) throw refused(`${what} may not start with "hc:" or "hcp:"`)
  return key
}

export const checkTagValue = (value: string): string => {
  if (value.length > 256) throw refused('Value is too long (maximum is 256 characters)')
  if (!CHARACTERS.test(value)) throw refused('Value may only contain letters, numbers and the characters _ . = + - @ :')
  return value
}
