// Many runs at once: as many workspaces, one run each, until all are applied; against the same engine steps by local scripts, two at a time.
// Usage: node bench/drain.mjs [--runs 20] [--json FILE]
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { availableParallelism } from 'node:os'
import { parseArgs, promisify } from 'node:util'
import { printTable, startBenchServer } from './lib.mjs'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '20' }, json: { type: 'string' } } })
const count = Number(values.runs)
const CONFIGURATION = 'resource "terraform_data" "one" {\n  input = "x"\n}\n'

const run = promisify(execFile)

const localRun = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'terrane-bench-local-'))
  writeFileSync(join(dir, 'main.tf'), CONFIGURATION)
  const env = { PATH: process.env.PATH, HOME: dir, CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1' }
  const terraform = (...args) => run('terraform', args, { cwd: dir, env, maxBuffer: 1 << 28 })
  await terraform('init', '-input=false', '-no-color')
  await terraform('plan', '-input=false', '-out=plan', '-json')
  await terraform('show', '-json', 'plan')
  await terraform('apply', '-input=false', '-json', 'plan')
  await terraform('show', '-json')
  rmSync(dir, { recursive: true, force: true })
}

const archive = () => {
  const dir = mkdtempSync(join(tmpdir(), 'terrane-bench-slug-'))
  mkdirSync(join(dir, 'c'))
  writeFileSync(join(dir, 'c', 'main.tf'), CONFIGURATION)
  const bytes = execFileSync('tar', ['-C', join(dir, 'c'), '-czf', '-', 'main.tf'])
  rmSync(dir, { recursive: true, force: true })
  return bytes
}

const cpuSeconds = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14])) / 100
}

const server = await startBenchServer()
try {
  await server.api('POST', 'organizations', { type: 'organizations', attributes: { name: 'bench', email: 'b@example.com' } })
  const slug = archive()
  const prepare = async (index) => {
    const workspace = (
      await server.api('POST', 'organizations/bench/workspaces', { type: 'workspaces', attributes: { name: `w${index}` } })
    ).data.id
    const configuration = (
      await server.api('POST', `workspaces/${workspace}/configuration-versions`, {
        type: 'configuration-versions',
        attributes: { 'auto-queue-runs': false },
      })
    ).data
    await fetch(configuration.attributes['upload-url'], { method: 'PUT', body: slug })
    return {
      type: 'runs',
      attributes: { 'auto-apply': true },
      relationships: {
        workspace: { data: { type: 'workspaces', id: workspace } },
        'configuration-version': { data: { type: 'configuration-versions', id: configuration.id } },
      },
    }
  }
  const drain = async (orders) => {
    const started = performance.now()
    const ids = await Promise.all(orders.map(async (order) => (await server.api('POST', 'runs', order)).data.id))
    const waiting = new Set(ids)
    while (waiting.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      const open = await server.api('GET', 'organizations/bench/runs?filter[status_group]=non_final&page[size]=100')
      const isOpen = new Set(open.data.map(({ id }) => id))
      for (const id of waiting) if (!isOpen.has(id)) waiting.delete(id)
    }
    const ms = performance.now() - started
    for (const id of ids) {
      const { status } = (await server.api('GET', `runs/${id}`)).data.attributes
      if (status !== 'applied') throw new Error(`run ended ${status}`)
    }
    return ms
  }
  // The first one warms caches.
  await drain([await prepare('warm')])
  const orders = []
  for (let index = 0; index < count; index++) orders.push(await prepare(index))
  const before = cpuSeconds(server.pid)
  const remoteMs = await drain(orders)
  // Workers that end count as soon as they are waited for.
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const remoteCpuSeconds = cpuSeconds(server.pid) - before
  const localStarted = performance.now()
  let left = count
  const work = async () => {
    while (left-- > 0) await localRun()
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  const localMs = performance.now() - localStarted
  const result = { runs: count, remoteMs, localMs, ratio: remoteMs / localMs, remoteCpuSeconds }
  printTable([
    [`${count} runs through the server`, `${(remoteMs / 1000).toFixed(2)} s`],
    ['the same steps by local scripts', `${(localMs / 1000).toFixed(2)} s`],
    ['ratio', result.ratio.toFixed(2)],
    ['processor time of the server and its children', `${remoteCpuSeconds.toFixed(2)} s`],
  ])
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(result, null, 2))
} finally {
  await server.stop()
}
