import { join, resolve } from 'node:path'
import { AppError } from '../platform/errors.ts'

type Env = Record<string, string | undefined>

/**
 * The data directory as an absolute path: the flag, else TERRANE_DATA, else `terrane` in the user's data directory (XDG). Throws
 * AppError INVALID when none of them says anything, as in a service without a home.
 */
export const dataDirectory = (flag: string | undefined, env: Env): string => {
  const given = flag || env['TERRANE_DATA']
  if (given) return resolve(given)
  const { XDG_DATA_HOME: dataHome, HOME: home } = env
  if (dataHome?.startsWith('/')) return join(dataHome, 'terrane')
  if (home) return join(home, '.local/share/terrane')
  throw new AppError('INVALID', 'There is no HOME to keep data in. Name a directory with --data DIR or TERRANE_DATA.')
}
