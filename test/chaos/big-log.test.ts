import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import type { Resource } from '../harness/api-client.ts'
import { runnerOf } from '../harness/processes.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { serverOfTest, type TestServer } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import { expectNothingLeft } from './expect-nothing-left.ts'
import { isWhole } from './is-whole.ts'
import { makeWorkspace } from './make-workspace.ts'

const MIB = 1024 * 1024
/** Terraform makes about 415 bytes of each. */
const LINES = isWhole ? 500_000 : 50_000
const FIRST = 1_000_000
const LOG_BYTES = 400 * LINES
/** A server at rest has about 150 MiB, a worker 90. */
const SERVER_LIMIT_BYTES = 450 * MIB
const RUNNER_LIMIT_BYTES = 350 * MIB

/** The most memory that a process had until now. */
const peakOf = async (pid: number): Promise<number> =>
  1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'latin1'))?.[1])

/** Calls `line` for each line of a log, without keeping it. */
const readLines = async (server: TestServer, phase: Resource, line: (text: string) => void): Promise<number> => {
  const url = String(phase.attributes['log-read-url'])
  let [offset, rest] = [0, '']
  for (;;) {
    const part = await server.api.bytes(`${url}?limit=${MIB}&offset=${offset}`)
    if (part.length === 0) return offset
    offset += part.length
    const lines = (rest + part.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) line(text)
  }
}

it(`${isWhole ? 200 : 20} MB of output: memory stays bounded, every byte is stored once and in order`, async () => {
  const [server, effects] = [await serverOfTest(), await makeSideEffects()]
  const project = await makeWorkspace(server, 'big')
  const last = effects.configuration({ steps: 1, gates: [0] }).replace('depends_on = []', 'depends_on = [terraform_data.big]')
  const main = `resource "terraform_data" "big" {
  provisioner "local-exec" {
    command = "seq ${FIRST} ${FIRST + LINES - 1}"
  }
}
${last}`
  const { id } = await project.uploadAndRun({ 'main.tf': main }, { 'auto-apply': true })
  await waitFor(async () => ((await effects.counts())[0] ?? 0) === 1, { timeoutMs: 240_000, everyMs: 200, what: 'the output to end' })
  const runner = (await runnerOf(server.workDir, id)) ?? 0
  const peaks = { runner: await peakOf(runner), server: await peakOf(server.pid()) }
  await effects.open(0)
  const applied = await project.runIn(id, 'applied', 'errored')
  expect(applied.attributes['status']).toBe('applied')
  peaks.server = await peakOf(server.pid())

  const related = applied.relationships?.['apply']?.data
  const { data } = await server.api.call('GET', `applies/${related && !Array.isArray(related) ? related.id : ''}`)
  let next = FIRST
  const bytes = await readLines(server, data, (text) => {
    const number = /"output":"(\d{7})"/.exec(text)?.[1]
    if (number === undefined) return
    if (Number(number) !== next) throw new Error(`line ${next} is missing; ${number} came`)
    next += 1
  })
  peaks.server = await peakOf(server.pid())
  console.log(
    `log ${Math.round(bytes / MIB)} MiB; peak of the runner ${Math.round(peaks.runner / MIB)} MiB, of the server ${Math.round(peaks.server / MIB)} MiB`,
  )
  expect(next).toBe(FIRST + LINES)
  expect(bytes).toBeGreaterThan(LOG_BYTES)
  expect(peaks.runner).toBeLessThan(RUNNER_LIMIT_BYTES)
  expect(peaks.server).toBeLessThan(SERVER_LIMIT_BYTES)
  await expectNothingLeft([server])
}, 400_000)
