import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { Isolation } from '../options.ts'

const MAX_ROUNDS = 20

/**
 * SIGKILL to every process of a job, also those that left the process group: with isolation all of the job user, else all
 * whose environment has this HOME. Goes on until a look finds none, because a process may fork while it is being looked for.
 * `mayGainPrivileges`: nothing keeps the job from running programs of root as root.
 */
export const killJob = async (isolation: Isolation | undefined, home: string, mayGainPrivileges: boolean): Promise<void> => {
  const isOurs = isolation === undefined ? hasHome(home) : mayGainPrivileges ? isFrom(isolation.uid) : isOf(isolation.uid)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const pids = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid && isOurs(pid) && isAlive(pid))
    if (pids.length === 0) return
    for (const pid of pids) kill(pid)
    await new Promise((resolve) => setTimeout(resolve, 5 * round))
  }
}

/** The directory of a process belongs to its effective user, also when it hides its memory (`task_dump_owner` of Linux). */
const isOf =
  (uid: number) =>
  (pid: number): boolean =>
    ownerOf(pid) === uid

/** Whoever has become root still has its real user id. Reading that takes many times longer. */
const isFrom =
  (uid: number) =>
  (pid: number): boolean => {
    const owner = ownerOf(pid)
    return owner === uid || (owner === 0 && userIds(pid).includes(String(uid)))
  }

const ownerOf = (pid: number): number | undefined => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid

const userIds = (pid: number): string[] => {
  try {
    return /^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]?.split(/\s+/) ?? []
  } catch {
    return []
  }
}

const hasHome = (home: string) => (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`HOME=${home}`)
  } catch {
    return false
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile, or is not ours to end.
  }
}
