import { setTimeout as pause } from 'node:timers/promises'
import { enginesIn, killProcess } from '../harness/processes.ts'
import type { TestServer } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import type { Random } from './random-source.ts'

/** Killed, or stopped for a while, which ends nothing by itself. */
const victims = ['server', 'runner', 'terraform', 'server stopped', 'runner stopped'] as const
export type Victim = (typeof victims)[number]

type Options = {
  victim: Victim
  runId: string
  random: Random
  /** For how long a server is away at most. */
  awayMs: number
  isOver: () => Promise<boolean>
}

/** Hits one of those that work on the run, as soon as it is there; of several servers any. Answers whether there was one. */
export const crashSomething = async (servers: readonly TestServer[], options: Options): Promise<boolean> => {
  const { victim, random, awayMs } = options
  if (victim === 'server' || victim === 'server stopped') {
    const server = random.pick(servers)
    const away = random.pick([0, 0, random.between(0, awayMs)])
    if (victim === 'server stopped') await stopFor(server.pid(), away)
    else {
      await server.kill('SIGKILL')
      await pause(away)
      await server.start()
    }
    return true
  }
  const engine = await findEngine(servers[0]?.workDir ?? '', options)
  if (engine === undefined) return false
  if (victim === 'runner stopped') await stopFor(engine.parent, random.between(0, 3000))
  else killProcess(victim === 'runner' ? engine.parent : engine.pid)
  return true
}

const findEngine = async (workDir: string, { runId, isOver }: Options) => {
  const found = await waitFor(
    async () => {
      const engine = (await enginesIn(workDir)).find(({ cwd }) => cwd.startsWith(`${workDir}/${runId}`))
      return engine ?? ((await isOver()) ? 'over' : undefined)
    },
    { timeoutMs: 60_000, what: `an engine of ${runId}` },
  )
  return found === 'over' ? undefined : found
}

const stopFor = async (pid: number, ms: number): Promise<void> => {
  signal(pid, 'SIGSTOP')
  await pause(ms)
  signal(pid, 'SIGCONT')
}

/** A runner may have ended meanwhile. */
const signal = (pid: number, name: 'SIGSTOP' | 'SIGCONT'): void => {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
