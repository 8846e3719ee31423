import { readFileSync, readdirSync } from 'node:fs'
import { startTicks } from '../worker/engine/start-ticks.ts'

/** Whether exactly this process still runs; a reused pid and a zombie do not count. */
export const isRunning = (pid: number, ticks: string): boolean => startTicks(pid) === ticks

/** Processes whose group is `processGroup`, without zombies. */
export const membersOfGroup = (processGroup: number): Promise<number[]> =>
  findProcesses('stat', (text) => {
    // The name in parentheses may hold anything, also parentheses.
    const [state, , group] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return group === String(processGroup) && state !== 'Z' && state !== 'X'
  })

/** Processes that run as `uid`, by any of their user ids, without zombies. */
export const processesOfUser = (uid: number): Promise<number[]> =>
  findProcesses('status', (text) => {
    const ids = /^Uid:\s+(.*)$/m.exec(text)?.[1]?.split(/\s+/) ?? []
    return ids.includes(String(uid)) && !/^State:\s+[ZX]/m.test(text)
  })

/** Reads in one go: a hundred small files take milliseconds that way, many times that through promises. */
const findProcesses = async (file: string, matches: (text: string) => boolean): Promise<number[]> =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const text = readIfThere(`/proc/${pid}/${file}`)
      return text !== undefined && matches(text)
    })

const readIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}
