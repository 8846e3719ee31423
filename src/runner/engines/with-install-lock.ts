import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'

const beatMs = 5_000
const staleMs = 30_000
const pollMs = 100

/**
 * Runs `work` while no other process that uses the same lock file does. A holder renews the file's time; one that died is noticed after 30 s,
 * at once when it ran on this machine. Two waiters may take a dead holder's place at the same moment and both work: the work must bear that,
 * the lock only saves doing it twice.
 */
export const withInstallLock = async <T>(lockFile: string, clock: Clock, work: () => Promise<T>): Promise<T> => {
  while (!(await tryCreate(lockFile))) {
    if (await isStale(lockFile, clock)) await rm(lockFile, { force: true })
    else await delay(pollMs)
  }
  const beat = setInterval(() => {
    const now = clock.now()
    utimes(lockFile, now, now).catch(() => undefined)
  }, beatMs)
  try {
    return await work()
  } finally {
    clearInterval(beat)
    await rm(lockFile, { force: true })
  }
}

const tryCreate = async (lockFile: string): Promise<boolean> => {
  try {
    await writeFile(lockFile, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

const isStale = async (lockFile: string, clock: Clock): Promise<boolean> => {
  try {
    const { mtimeMs } = await stat(lockFile)
    return clock.now().getTime() - mtimeMs > staleMs || isDeadHere(await readFile(lockFile, 'utf8'))
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false
    throw error
  }
}

/** An unreadable content is a holder that has just created the file. */
const isDeadHere = (text: string): boolean => {
  const [, pid, host] = /^\{"pid":(\d+),"host":"([^"]*)"\}$/.exec(text) ?? []
  if (pid === undefined || host !== hostname()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return isCode(error, 'ESRCH')
  }
}

const isCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code
