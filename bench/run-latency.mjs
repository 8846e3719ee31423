// Overhead of a remote run: POST /runs to `applied` for one resource, against the same terraform steps (init, plan, show, apply, show) run one
// after another by a local script. Pairs alternate in one process; medians are what counts. --rest is the pause before
// each measurement, so that neither side pays for what the server does behind a run: it starts the next worker. 0 for pairs without a pause.
// Usage: node bench/run-latency.mjs [--pairs 10] [--rest 1000] [--json FILE]
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median, printTable, startBenchServer } from './lib.mjs'

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '10' }, rest: { type: 'string', default: '1000' }, json: { type: 'string' } },
})
const pairs = Number(values.pairs)
const CONFIGURATION = 'resource "terraform_data" "one" {\n  input = "x"\n}\n'

const localRun = () => {
  const dir = mkdtempSync(join(tmpdir(), 'terrane-bench-local-'))
  writeFileSync(join(dir, 'main.tf'), CONFIGURATION)
  const env = { PATH: process.env.PATH, HOME: dir, CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1' }
  const terraform = (...args) => execFileSync('terraform', args, { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 })
  const started = performance.now()
  terraform('init', '-input=false', '-no-color')
  terraform('plan', '-input=false', '-out=plan', '-json')
  terraform('show', '-json', 'plan')
  terraform('apply', '-input=false', '-json', 'plan')
  terraform('show', '-json')
  const ms = performance.now() - started
  rmSync(dir, { recursive: true, force: true })
  return ms
}

const archive = () => {
  const dir = mkdtempSync(join(tmpdir(), 'terrane-bench-slug-'))
  mkdirSync(join(dir, 'c'))
  writeFileSync(join(dir, 'c', 'main.tf'), CONFIGURATION)
  const bytes = execFileSync('tar', ['-C', join(dir, 'c'), '-czf', '-', 'main.tf'])
  rmSync(dir, { recursive: true, force: true })
  return bytes
}

const rest = () => new Promise((resolve) => setTimeout(resolve, Number(values.rest)))

const server = await startBenchServer()
try {
  await server.api('POST', 'organizations', { type: 'organizations', attributes: { name: 'bench', email: 'b@example.com' } })
  const slug = archive()
  const remote = []
  const local = []
  for (let i = -1; i < pairs; i++) {
    const workspace = (
      await server.api('POST', 'organizations/bench/workspaces', { type: 'workspaces', attributes: { name: `w${i + 1}` } })
    ).data.id
    const configuration = (
      await server.api('POST', `workspaces/${workspace}/configuration-versions`, {
        type: 'configuration-versions',
        attributes: { 'auto-queue-runs': false },
      })
    ).data
    await fetch(configuration.attributes['upload-url'], { method: 'PUT', body: slug })
    const started = performance.now()
    const run = (
      await server.api('POST', 'runs', {
        type: 'runs',
        attributes: { 'auto-apply': true },
        relationships: {
          workspace: { data: { type: 'workspaces', id: workspace } },
          'configuration-version': { data: { type: 'configuration-versions', id: configuration.id } },
        },
      })
    ).data
    let status
    do {
      await new Promise((resolve) => setTimeout(resolve, 3))
      status = (await server.api('GET', `runs/${run.id}`)).data.attributes.status
    } while (status !== 'applied' && status !== 'errored')
    const ms = performance.now() - started
    if (status !== 'applied') throw new Error(`run ended ${status}`)
    await rest()
    const here = localRun()
    await rest()
    // The first pair warms caches and workers.
    if (i >= 0) {
      remote.push(ms)
      local.push(here)
    }
  }
  const result = {
    pairs,
    remoteMs: median(remote),
    localMs: median(local),
    overheadMs: median(remote.map((ms, index) => ms - local[index])),
  }
  printTable([
    ['remote run, median', `${result.remoteMs.toFixed(0)} ms`],
    ['local steps, median', `${result.localMs.toFixed(0)} ms`],
    ['overhead, median of pairs', `${result.overheadMs.toFixed(0)} ms`],
  ])
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(result, null, 2))
} finally {
  await server.stop()
}
