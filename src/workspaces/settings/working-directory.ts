import { invalid } from '../../platform/errors.ts'

/** Kept as it was written. Throws INVALID for what could lead out of the configuration. */
export const checkWorkingDirectory = (directory: string): string => {
  const isSafe = !/\p{Cc}/u.test(directory) && !directory.includes('\\')
  if (!isSafe) throw invalid('Working directory may not contain backslashes and control characters', 'working-directory')
  if (directory.startsWith('/')) throw invalid('Working directory must be relative to the root of the configuration', 'working-directory')
  if (directory.split('/').includes('..')) throw invalid('Working directory may not contain ".."', 'working-directory')
  return directory
}
