// Start of the built server on an empty data directory and on the one it made, and its memory when idle. Usage: node bench/start.mjs [--rounds 5] [--json FILE]
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { median, memoryMegabytes, printTable, startBenchServer } from './lib.mjs'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, json: { type: 'string' } } })
const IDLE_MS = 3000

const starts = []
const sizes = []
for (let round = 0; round < Number(values.rounds); round++) {
  const server = await startBenchServer()
  starts.push(server.startMs)
  await pause(IDLE_MS)
  sizes.push(memoryMegabytes(server.pid).now)
  await server.stop()
}
const result = { readyMs: median(starts), idleRssMegabytes: median(sizes) }
printTable([
  ['ready after, median', `${result.readyMs.toFixed(0)} ms`],
  ['idle RSS, median', `${result.idleRssMegabytes.toFixed(0)} MB`],
])
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(result, null, 2))
