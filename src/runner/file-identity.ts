import { accessSync, type BigIntStats, constants, statSync } from 'node:fs'

/** Text that is another one as soon as the file at a path is replaced or changed. `info`: of `stat(path, { bigint: true })`. Pure. */
export const fileIdentity = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string => [dev, ino, size, mtimeNs, ctimeNs].join(' ')

/**
 * What is at the path, if it may be executed, be it a file or not. Synchronous: every run asks, and the way through the thread pool takes a
 * hundred times what the two calls do.
 */
export const executableAt = (path: string): BigIntStats | undefined => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path, { bigint: true })
  } catch {
    return undefined
  }
}
