import { isUniqueViolation } from '../../platform/db/errors.ts'
import { invalid } from '../../platform/errors.ts'

/** Runs a write; a second variable of the key and category becomes INVALID with the text clients know. */
export const orKeyTaken = async (write: Promise<void>): Promise<void> => {
  try {
    await write
  } catch (error) {
    if (isUniqueViolation(error)) throw invalid('Key has already been taken', 'key')
    throw error
  }
}
