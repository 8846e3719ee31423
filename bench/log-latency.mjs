// How long after it was written a line of a run's log can be read: a local-exec prints the time again and again during an apply. Read by polling the
// log URL, as the CLI does but without its pauses, and by the events of the run's page. What terraform itself needs for a line is measured too.
// Usage: node bench/log-latency.mjs [--lines 200] [--json FILE]
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openSession, percentile, printTable, startBenchServer, startRun, waitForStatus } from './lib.mjs'

const { values } = parseArgs({ options: { lines: { type: 'string', default: '200' }, json: { type: 'string' } } })
const lines = Number(values.lines)
const POLL_MS = 2
const CONFIGURATION = `resource "terraform_data" "clock" {
  provisioner "local-exec" {
    command = "for i in $(seq ${lines}); do date +at-%s%N-; sleep 0.03; done"
  }
}
`

const nowMs = () => performance.timeOrigin + performance.now()

/** Takes text as it comes; answers how late each time in it was. */
const makeClockReader = () => {
  const delays = []
  const seen = new Set()
  let rest = ''
  return {
    delays,
    take: (text) => {
      const at = nowMs()
      rest += text
      // Twice in a JSON line; the text of the command contains no time.
      for (const [, nanoseconds] of rest.matchAll(/at-(\d{19})-/g)) {
        if (!seen.has(nanoseconds)) delays.push(at - Number(nanoseconds) / 1e6)
        seen.add(nanoseconds)
      }
      rest = rest.slice(rest.lastIndexOf('\n') + 1)
    },
  }
}

const terraformAlone = async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'terrane-bench-local-'))
  writeFileSync(join(cwd, 'main.tf'), CONFIGURATION)
  const env = { PATH: process.env.PATH, HOME: cwd, CHECKPOINT_DISABLE: '1' }
  const reader = makeClockReader()
  const run = (...args) =>
    new Promise((resolve, reject) => {
      const child = spawn('terraform', args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
      child.stdout.setEncoding('utf8').on('data', reader.take)
      child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`terraform ended with ${code}`))))
    })
  await run('init', '-input=false', '-no-color')
  await run('apply', '-input=false', '-auto-approve', '-json')
  rmSync(cwd, { recursive: true, force: true })
  return reader.delays
}

const pollLog = async (url, isOver) => {
  const reader = makeClockReader()
  let offset = 0
  while (!isOver()) {
    const text = await (await fetch(`${url}?limit=65536&offset=${offset}`)).text()
    offset += Buffer.byteLength(text)
    if (text !== '') reader.take(text)
    else await pause(POLL_MS)
  }
  return reader.delays
}

const readEvents = async (url, cookie) => {
  const reader = makeClockReader()
  const response = await fetch(url, { headers: { cookie } })
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) reader.take(part)
  return reader.delays
}

const server = await startBenchServer()
try {
  const alone = await terraformAlone()
  const cookie = await openSession(server)
  await server.api('POST', 'organizations', { type: 'organizations', attributes: { name: 'bench', email: 'b@example.com' } })
  const run = await startRun(server, { workspace: 'log', configuration: CONFIGURATION, autoApply: true })
  await waitForStatus(server, run.id, ['applying'])
  const url = (await server.api('GET', `applies/${run.relationships.apply.data.id}`)).data.attributes['log-read-url']
  let isOver = false
  const polling = pollLog(url, () => isOver)
  const events = readEvents(`${server.url}/app/_events/runs/${run.id}`, cookie)
  await waitForStatus(server, run.id, ['applied'], 100)
  isOver = true
  const measured = { terraform: alone, logUrl: await polling, page: await events }
  const result = Object.fromEntries(
    Object.entries(measured).map(([name, delays]) => [
      name,
      { lines: delays.length, medianMs: percentile(delays, 50), p95Ms: percentile(delays, 95) },
    ]),
  )
  const row = (title, { lines: count, medianMs, p95Ms }) => [title, `${medianMs.toFixed(1)} ms`, `${p95Ms.toFixed(1)} ms`, String(count)]
  printTable([
    ['a line is there after', 'median', 'p95', 'lines'],
    row('terraform alone, at its output', result.terraform),
    row('the log URL', result.logUrl),
    row('the events of the page', result.page),
  ])
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(result, null, 2))
} finally {
  await server.stop()
}
