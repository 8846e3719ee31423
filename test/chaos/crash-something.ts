import { setTimeout as pause } from 'node:timers/promises'
import { enginesIn, killProcess } from '../harness/processes.ts'
import type { TestServer } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import type { Random } from './random-source.ts'

export type Victim = 'server' | 'runner' | 'terraform'

/** Kills one of the three that work on the run, as soon as it is there. Answers whether there was one. */
export const crashSomething = async (
  server: TestServer,
  { victim, runId, random, isOver }: { victim: Victim; runId: string; random: Random; isOver: () => Promise<boolean> },
): Promise<boolean> => {
  if (victim === 'server') {
    const downMs = random.pick([0, 0, random.between(0, 1500)])
    await server.kill('SIGKILL')
    await pause(downMs)
    await server.start()
    return true
  }
  const engine = await waitFor(
    async () => {
      const found = (await enginesIn(server.workDir)).find(({ cwd }) => cwd.startsWith(`${server.workDir}/${runId}`))
      return found ?? ((await isOver()) ? 'over' : undefined)
    },
    { timeoutMs: 60_000, what: `an engine of ${runId}` },
  )
  if (engine === 'over') return false
  killProcess(victim === 'runner' ? engine.parent : engine.pid)
  return true
}
