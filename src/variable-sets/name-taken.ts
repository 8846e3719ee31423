import { isUniqueViolation } from '../platform/db/errors.ts'
import { invalid } from '../platform/errors.ts'

/** Runs a write; a second set of the name with the same owner becomes INVALID. */
export const orNameTaken = async (write: Promise<void>): Promise<void> => {
  try {
    await write
  } catch (error) {
    if (isUniqueViolation(error)) throw invalid('Name has already been taken', 'name')
    throw error
  }
}
