import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../dist/terrane.js', import.meta.url))

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]

export const printTable = (rows) => {
  const width = Math.max(...rows.map(([name]) => name.length))
  for (const [name, ...cells] of rows) process.stdout.write(`${name.padEnd(width)}  ${cells.join('  ')}\n`)
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
  const child = spawn(process.execPath, [dist, 'server', '--data', dir, '--listen', url.slice(7), '--log-level', 'warn', ...args], {
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
