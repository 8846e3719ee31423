import { isUniqueViolation } from '../platform/db/errors.ts'
import { invalid } from '../platform/errors.ts'

/** The unique index is the judge: two who ask at once get one success and one refusal. */
export const refuseTakenName = async <T>(write: Promise<T>): Promise<T> => {
  try {
    return await write
  } catch (error) {
    if (isUniqueViolation(error)) throw invalid('Name has already been taken', 'name')
    throw error
  }
}
