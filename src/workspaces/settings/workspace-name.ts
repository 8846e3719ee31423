import { invalid } from '../../platform/errors.ts'

const MAX_LENGTH = 90

/** Throws INVALID with the texts clients know. */
export const checkWorkspaceName = (name: string): string => {
  if (name === '') throw invalid("Name can't be blank", 'name')
  if (!/^[A-Za-z0-9_-]+$/.test(name)) throw invalid('Name may only contain letters, numbers, "-" and "_"', 'name')
  if (name.length > MAX_LENGTH) throw invalid(`Name is too long (maximum is ${MAX_LENGTH} characters)`, 'name')
  return name
}
