import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** TERRANE_BENCH_DIST names another bundle, to compare two. */
const dist = join(process.env.TERRANE_BENCH_DIST ?? fileURLToPath(new URL('../dist', import.meta.url)), 'terrane.js')

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]

export const percentile = (numbers, percent) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))]
}

/** Rows of texts: the first column to the left, the others to the right. */
export const printTable = (rows) => {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  for (const row of rows) {
    const cells = row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
    process.stdout.write(`${cells.join('  ')}\n`)
  }
}

const freePort = () =>
  new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => done(port))
    })
  })

/** The built server on a data directory of its own, with an API client that acts as the administrator. */
export const startBenchServer = async ({ args = [], env = {} } = {}) => {
  const dir = mkdtempSync(join(tmpdir(), 'terrane-bench-'))
  const url = `http://127.0.0.1:${await freePort()}`
  const started = performance.now()
  const child = spawn(process.execPath, [dist, 'server', '--data', dir, '--listen', url.slice(7), '--log-level', 'error', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  })
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (bytes) => String(bytes).includes('ready') && resolve())
    child.once('exit', (code) => reject(new Error(`server ended with ${code}`)))
  })
  const startMs = performance.now() - started
  const token = readFileSync(join(dir, 'admin.token'), 'utf8').trim()
  return {
    url,
    dir,
    pid: child.pid,
    startMs,
    api: async (method, path, data) => {
      const response = await fetch(`${url}/api/v2/${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
        ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
    stop: async () => {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill('SIGTERM')
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** A run of one file in a new workspace of the organization `bench`; answers the run. */
export const startRun = async (server, { workspace: name, configuration, autoApply = false }) => {
  const { api } = server
  const workspace = (await api('POST', 'organizations/bench/workspaces', { type: 'workspaces', attributes: { name } })).data
  const version = await uploadConfiguration(server, workspace.id, configuration)
  return createRun(server, { workspaceId: workspace.id, versionId: version.id, autoApply })
}

/** Answers the configuration version. */
export const uploadConfiguration = async ({ api }, workspaceId, configuration) => {
  const attributes = { 'auto-queue-runs': false }
  const version = (await api('POST', `workspaces/${workspaceId}/configuration-versions`, { type: 'configuration-versions', attributes }))
    .data
  const answer = await fetch(version.attributes['upload-url'], { method: 'PUT', body: archive(configuration) })
  if (!answer.ok) throw new Error(`upload of a configuration: ${answer.status}`)
  return version
}

export const createRun = async ({ api }, { workspaceId, versionId, autoApply = false, planOnly = false }) =>
  (
    await api('POST', 'runs', {
      type: 'runs',
      attributes: { 'auto-apply': autoApply, ...(planOnly ? { 'plan-only': true } : {}) },
      relationships: {
        workspace: { data: { type: 'workspaces', id: workspaceId } },
        'configuration-version': { data: { type: 'configuration-versions', id: versionId } },
      },
    })
  ).data

const archive = (configuration) => {
  const dir = mkdtempSync(join(tmpdir(), 'terrane-bench-slug-'))
  writeFileSync(join(dir, 'main.tf'), configuration)
  const bytes = execFileSync('tar', ['-C', dir, '-czf', '-', 'main.tf'])
  rmSync(dir, { recursive: true, force: true })
  return bytes
}

/** Polls until the run has one of the statuses; throws when it errors. */
export const waitForStatus = async ({ api }, runId, wanted, pollMs = 5) => {
  for (;;) {
    const { status } = (await api('GET', `runs/${runId}`)).data.attributes
    if (wanted.includes(status)) return
    if (status === 'errored' || status === 'canceled') throw new Error(`run ended ${status}`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

/** Chooses the first administrator's password; answers the cookie of the session. */
export const openSession = async ({ dir }) => {
  const link = readFileSync(join(dir, 'setup.url'), 'utf8').trim()
  const password = 'a password for the benchmark'
  const answer = await fetch(link, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: new URL(link).origin },
    body: new URLSearchParams({ username: 'bench', password, repeated: password }),
  })
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
  if (cookies.length === 0) throw new Error(`setting a password: ${answer.status} ${await answer.text()}`)
  return cookies.join('; ')
}

/** RSS of a process, and its highest since `resetPeakMemory`. */
export const memoryMegabytes = (pid) => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024
  return { now: of('VmRSS'), peak: of('VmHWM') }
}

export const resetPeakMemory = (pid) => writeFileSync(`/proc/${pid}/clear_refs`, '5')
