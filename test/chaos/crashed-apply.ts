import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Resource } from '../harness/api-client.ts'
import { logText, provisionerLines } from '../harness/log-lines.ts'
import { listProcesses } from '../harness/processes.ts'
import type { TestServer } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import { completed } from './completed.ts'
import { type CrashEffects, LINES, makeCrashEffects } from './crash-effects.ts'
import { crashSomething, type Victim } from './crash-something.ts'
import { makeWorkspace } from './make-workspace.ts'
import type { Random } from './random-source.ts'

/** Without a crash a run takes about so long to its end, and its apply so long. */
const RUN_MS = 4000
const APPLY_MS = 2000
const FINAL = ['applied', 'errored', 'canceled', 'planned_and_finished', 'discarded']
/** Kills more often than stops. */
const VICTIMS: readonly Victim[] = ['server', 'runner', 'terraform', 'server', 'runner', 'terraform', 'server stopped', 'runner stopped']

/** Each resource's lines are there in order, once, from the first on; all of them when it was completed. */
const expectWholeLog = (log: string): void => {
  const lines = provisionerLines(log)
  expect(lines.filter((line, index) => lines.indexOf(line) !== index)).toEqual([])
  const done = completed(log)
  for (const name of new Set(lines.map((line) => line.split(' ')[0] ?? ''))) {
    const own = lines.filter((line) => line.startsWith(`${name} `))
    const count = done.includes(`terraform_data.${name}`) ? LINES : own.length
    expect(own).toEqual(Array.from({ length: count }, (_, line) => `${name} line ${line}`))
  }
}

/** The same bytes in pieces of any sizes. */
const expectSameInPieces = async (
  server: TestServer,
  run: Resource,
  phase: 'plan' | 'apply',
  log: string,
  random: Random,
): Promise<void> => {
  const related = run.relationships?.[phase]?.data
  const { data } = await server.api.call(
    'GET',
    `${phase === 'plan' ? 'plans' : 'applies'}/${related && !Array.isArray(related) ? related.id : ''}`,
  )
  const whole = Buffer.from(log)
  for (let offset = 0; offset < whole.length;) {
    const limit = 1 + random.whole(20_000)
    const part = await server.api.bytes(`${String(data.attributes['log-read-url'])}?limit=${limit}&offset=${offset}`)
    expect(part.equals(whole.subarray(offset, offset + limit))).toBe(true)
    offset += part.length
  }
}

const inFlight = (log: string): string[] =>
  [...log.matchAll(/In flight when [^:]*: (.*?)\. Check/g)].flatMap(([, list]) => list?.match(/terraform_data\.r\d+/g) ?? [])

export type CrashNotes = { hit(victim: Victim, status: string): void; ended(status: string): void; note(text: string): void }

type Apply = {
  /** On one database; the first one answers what is asked. */
  servers: readonly [TestServer, ...TestServer[]]
  name: string
  random: Random
  /** For how long a server is away at most. */
  awayMs: number
  notes: CrashNotes
}

/** One apply with one to three crashes, and then all that must hold. */
export const crashedApply = async ({ servers, name, random, awayMs, notes }: Apply): Promise<void> => {
  const [server] = servers
  const effects = await makeCrashEffects(random)
  const project = await makeWorkspace(server, name)
  const files = { 'main.tf': effects.configuration }
  const { id } = await project.uploadAndRun(files, { 'auto-apply': true })
  const statusNow = async (): Promise<string> => String((await project.run(id)).attributes['status'])
  const isOver = async (): Promise<boolean> => FINAL.includes(await statusNow())
  // Most crashes are to hit the apply, where something can be lost.
  const isInApply = random.whole(4) > 0
  const begun = isInApply ? ['applying', ...FINAL] : ['planning', 'planned', 'applying', ...FINAL]
  await waitFor(async () => begun.includes(await statusNow()), { timeoutMs: 60_000, what: `${id} to begin` })
  for (let crash = 0, crashes = random.pick([1, 1, 2, 3]); crash < crashes; crash++) {
    await pause(random.between(0, (isInApply ? APPLY_MS : RUN_MS) / crashes))
    const victim = random.pick(VICTIMS)
    if (!(await crashSomething(servers, { victim, runId: id, random, awayMs, isOver }))) break
    notes.hit(victim, await statusNow())
  }
  const run = await project.runIn(id, ...FINAL)
  const status = String(run.attributes['status'])
  notes.ended(status)
  expect(['applied', 'errored']).toContain(status)
  await expectPlanLog(server, run, await project.log(run, 'plan'), random)
  const log = await project.log(run, 'apply')
  const isApplyBegun = log !== '\u0002\u0003' && log !== ''
  if (isApplyBegun) {
    expectWholeLog(log)
    await expectSameInPieces(server, run, 'apply', log, random)
  }
  expect((await project.workspace()).attributes['locked']).toBe(false)
  expect((await listProcesses()).filter(({ cwd }) => cwd.startsWith(`${server.workDir}/${id}`))).toEqual([])
  const kept = (await project.resources()).filter(({ isTainted }) => !isTainted).map(({ address }) => address)
  const [done, named] = [await effects.done(), isApplyBegun ? inFlight(log) : []]
  const told = completed(log)
  notes.note(`${told.length} completed, ${kept.length} kept, ${named.length} in flight`)
  for (const address of told) expect([...kept, ...named]).toContain(address)
  for (const address of done.keys()) if (!kept.includes(address)) expect(named).toContain(address)
  if (status === 'applied') return expectFinished(effects, kept, done)

  const rest = await project.uploadAndRun(files, { 'auto-apply': true })
  const applied = await project.runIn(rest.id, ...FINAL)
  expect(applied.attributes['status']).toBe(kept.length === effects.addresses.length ? 'planned_and_finished' : 'applied')
  const after = await effects.done()
  for (const [address, times] of after) if (times > 1) expect(named).toContain(address)
  // Terraform itself may have written down a resource, with the end of another one, before its provisioner was done.
  for (const address of kept) expect(after.get(address) ?? (named.includes(address) ? 1 : 0)).toBe(1)
  expect((await project.resources()).map(({ address, isTainted }) => (isTainted ? 'tainted' : address))).toEqual(effects.addresses)
}

const expectPlanLog = async (server: TestServer, run: Resource, log: string, random: Random): Promise<void> => {
  logText(log)
  await expectSameInPieces(server, run, 'plan', log, random)
}

const expectFinished = (effects: CrashEffects, kept: string[], done: Map<string, number>): void => {
  expect(kept).toEqual(effects.addresses)
  expect([...done.values()]).toEqual(effects.addresses.map(() => 1))
}
