import type { BigIntStats } from 'node:fs'

/** Text that is another one as soon as the file at a path is replaced or changed. `info`: of `stat(path, { bigint: true })`. Pure. */
export const fileIdentity = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string => [dev, ino, size, mtimeNs, ctimeNs].join(' ')
