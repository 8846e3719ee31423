import { execFile } from 'node:child_process'
import { chmod, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

const run = promisify(execFile)

/** What the disk hands out at once. */
const PAGE = Buffer.alloc(4096)

export type SmallDisk = {
  path: string
  /** Not one more byte can be written, whatever is removed meanwhile. */
  fill(): Promise<void>
  free(): Promise<void>
}

/** Whether this process may mount file systems; root in a container may not. */
export const canMount = async (): Promise<boolean> =>
  run('unshare', ['-m', 'true']).then(
    () => true,
    () => false,
  )

/** A file system of `mebibytes` in memory. Call before the server is made that uses it: it is removed after the test, the last first. */
export const makeSmallDisk = async (mebibytes: number): Promise<SmallDisk> => {
  const path = await mkdtemp(join(tmpdir(), 'terrane-disk-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'none', path])
  onTestFinished(async () => void (await run('umount', ['-l', path])))
  await chmod(path, 0o711)
  const ballast = join(path, 'ballast')
  let filling: Promise<void> | undefined
  let isFull = false

  const fillUp = async (): Promise<void> => {
    const handle = await open(ballast, 'a')
    try {
      for (;;) await handle.write(PAGE)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    } finally {
      await handle.close()
    }
  }
  const keepFull = async (): Promise<void> => {
    for (; isFull; await pause(20)) await fillUp()
  }

  return {
    path,
    fill: async () => {
      await fillUp()
      isFull = true
      filling = keepFull()
    },
    free: async () => {
      isFull = false
      await filling
      await rm(ballast)
    },
  }
}
