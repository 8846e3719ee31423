import { readFile, readdir, readlink } from 'node:fs/promises'

export type ProcessInfo = { pid: number; parent: number; command: string; cwd: string }

/** Processes of this machine that could be read, zombies left out. */
export const listProcesses = async (): Promise<ProcessInfo[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid): Promise<ProcessInfo[]> => {
      try {
        const [stat, command, cwd] = await Promise.all([
          readFile(`/proc/${pid}/stat`, 'latin1'),
          readFile(`/proc/${pid}/cmdline`, 'utf8'),
          readlink(`/proc/${pid}/cwd`),
        ])
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        return state === 'Z' ? [] : [{ pid, parent: Number(parent), command: command.replaceAll('\0', ' ').trim(), cwd }]
      } catch {
        return []
      }
    }),
  )
  return found.flat()
}

/** Terraform processes of the run directories below `workDir`. */
export const enginesIn = async (workDir: string): Promise<ProcessInfo[]> =>
  (await listProcesses()).filter(({ cwd, command }) => cwd.startsWith(`${workDir}/`) && /(^|\/)terraform /.test(command))

/** Pid of the runner that works on `runId`: the parent of its engine. */
export const runnerOf = async (workDir: string, runId: string): Promise<number | undefined> => {
  const processes = await listProcesses()
  const engine = processes.find(({ cwd, command }) => cwd.startsWith(`${workDir}/${runId}`) && /(^|\/)terraform /.test(command))
  return engine === undefined ? undefined : engine.parent
}

export const killProcess = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
