import { isUniqueViolation } from '../platform/db/errors.ts'
import { invalid } from '../platform/errors.ts'

/** The unique index is the judge: two who ask at once get one success and one refusal. */
export const refuseTakenUsername = async <T>(write: Promise<T>): Promise<T> => {
  try {
    return await write
  } catch (error) {
    if (isUniqueViolation(error)) throw invalid('Username has already been taken', 'username')
    throw error
  }
}
