import { invalid } from '../../platform/errors.ts'
import type { VariableCategory } from './variable.ts'

const MAX_KEY_LENGTH = 128
/** Terraform's identifiers. One may begin with a digit here: no configuration can declare it, but clients do create such variables. */
const IDENTIFIER = /^[\p{ID_Start}\p{Nd}_][\p{ID_Continue}-]*$/u
const ENVIRONMENT_NAME = /^[^\s=\0]+$/u

/** Throws INVALID for a key that terraform or the environment of a process could not take. */
export const checkVariableKey = (key: string, category: VariableCategory): void => {
  if (key === '') throw invalid("Key can't be blank", 'key')
  if (key.length > MAX_KEY_LENGTH) throw invalid(`Key is too long (maximum is ${MAX_KEY_LENGTH} characters)`, 'key')
  if (category === 'env' && !ENVIRONMENT_NAME.test(key)) throw invalid('Key may not contain spaces and "="', 'key')
  if (category === 'terraform' && !IDENTIFIER.test(key)) throw invalid('Key may only contain letters, numbers, "-" and "_"', 'key')
}

export const checkVariableValue = (value: string, category: VariableCategory): void => {
  if (category === 'env' && value.includes('\0'))
    throw invalid('Value of an environment variable may not contain the NUL character', 'value')
}
