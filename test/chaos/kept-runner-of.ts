import { readFile, readdir, readlink } from 'node:fs/promises'
import { listProcesses } from '../harness/processes.ts'
import type { TestServer } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'

/** Pid of the one worker of `server` that is bound to a run: it listens on a port for good, those that were started ahead in a rehearsal only. */
export const keptRunnerOf = (server: TestServer): Promise<number> =>
  waitFor(
    async () => {
      const bound = await listeningWorkers(server)
      return bound.length === 1 ? bound[0] : undefined
    },
    { timeoutMs: 30_000, what: 'exactly one worker to be bound to a run' },
  )

const listeningWorkers = async (server: TestServer): Promise<number[]> => {
  const workers = (await listProcesses()).filter(({ command, parent }) => parent === server.pid() && command.includes('terrane-runner'))
  const listening = await listeningSockets()
  const bound: number[] = []
  for (const { pid } of workers) if ((await socketsOf(pid)).some((inode) => listening.has(inode))) bound.push(pid)
  return bound
}

const LISTEN = '0A'

const listeningSockets = async (): Promise<Set<string>> => {
  const rows = (await readFile('/proc/net/tcp', 'latin1')).split('\n').map((line) => line.trim().split(/\s+/))
  return new Set(rows.filter((row) => row[3] === LISTEN).flatMap((row) => row[9] ?? []))
}

const socketsOf = async (pid: number): Promise<string[]> => {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const targets = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')))
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [])
}
