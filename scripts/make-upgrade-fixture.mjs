// Makes test/fixtures/upgrade/VERSION/DIALECT: the data of a small installation of this build, which every later build must be able to open.
// Usage: node scripts/make-upgrade-fixture.mjs sqlite; scripts/with-postgres.sh node scripts/make-upgrade-fixture.mjs postgres
import DatabaseDriver from 'better-sqlite3'
import pg from 'pg'
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [dialect] = process.argv.slice(2)
if (dialect !== 'sqlite' && dialect !== 'postgres') throw new Error('usage: make-upgrade-fixture.mjs sqlite|postgres')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const target = join(root, 'test', 'fixtures', 'upgrade', version, dialect)
const dataDir = mkdtempSync(join(tmpdir(), 'terrane-fixture-'))

const freePort = () =>
  new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => done(port))
    })
  })

const makeDatabase = async () => {
  const server = process.env.TERRANE_TEST_DATABASE_URL
  if (server === undefined) throw new Error('run it under scripts/with-postgres.sh')
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query('CREATE DATABASE terrane_fixture')
  await client.end()
  const url = new URL(server)
  url.pathname = '/terrane_fixture'
  return url.href
}

const databaseUrl = dialect === 'postgres' ? await makeDatabase() : undefined
const url = `http://127.0.0.1:${await freePort()}`
const server = spawn(
  process.execPath,
  [join(root, 'dist', 'terrane.js'), 'server', '--data', dataDir, '--listen', url.slice(7), '--log-level', 'warn'],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: dataDir, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) },
  },
)
await new Promise((done) => server.stdout.on('data', done))
const token = readFileSync(join(dataDir, 'admin.token'), 'utf8').trim()

const call = async (method, path, data) => {
  const response = await fetch(`${url}/api/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
    ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text).data
}

await call('POST', 'organizations', { type: 'organizations', attributes: { name: 'fixture', email: 'fixture@example.com' } })
const workspace = await call('POST', 'organizations/fixture/workspaces', {
  type: 'workspaces',
  attributes: { name: 'one', 'terraform-version': '1.11.4' },
})
await call('POST', `workspaces/${workspace.id}/vars`, {
  type: 'vars',
  attributes: { key: 'secret', value: 'opened after the upgrade', category: 'terraform', sensitive: true },
})
const configuration = await call('POST', `workspaces/${workspace.id}/configuration-versions`, {
  type: 'configuration-versions',
  attributes: { 'auto-queue-runs': false },
})
const source = mkdtempSync(join(tmpdir(), 'terrane-fixture-source-'))
writeFileSync(
  join(source, 'main.tf'),
  'variable "secret" {\n  sensitive = true\n}\nresource "terraform_data" "one" {\n  input = nonsensitive(sha256(var.secret))\n}\noutput "digest" {\n  value = terraform_data.one.output\n}\n',
)
await fetch(configuration.attributes['upload-url'], { method: 'PUT', body: execFileSync('tar', ['-C', source, '-czf', '-', 'main.tf']) })
const run = await call('POST', 'runs', {
  type: 'runs',
  attributes: { 'auto-apply': true },
  relationships: {
    workspace: { data: { type: 'workspaces', id: workspace.id } },
    'configuration-version': { data: { type: 'configuration-versions', id: configuration.id } },
  },
})
let status
do {
  await new Promise((done) => setTimeout(done, 100))
  status = (await call('GET', `runs/${run.id}`)).attributes.status
} while (!['applied', 'errored', 'canceled'].includes(status))
if (status !== 'applied') throw new Error(`the run ended ${status}`)
const [output] = await call('GET', `workspaces/${workspace.id}/current-state-version-outputs`)
const ended = new Promise((done) => server.once('exit', done))
server.kill('SIGTERM')
await ended

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
if (databaseUrl === undefined) {
  const database = new DatabaseDriver(join(dataDir, 'terrane.db'))
  database.exec(`VACUUM INTO '${join(target, 'terrane.db')}'`)
  database.close()
} else {
  const bin = execFileSync('bash', ['-c', 'ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1'], { encoding: 'utf8' }).trim()
  const dump = execFileSync(join(bin, 'pg_dump'), ['--inserts', '--no-owner', '--no-privileges', databaseUrl], { encoding: 'utf8' })
  // Commands of psql, which a plain client does not know.
  writeFileSync(join(target, 'dump.sql'), dump.replaceAll(/^\\.*$/gm, ''))
}
for (const name of ['blobs', 'installation.key', 'admin.token']) cpSync(join(dataDir, name), join(target, name), { recursive: true })
rmSync(join(target, 'blobs', 'uploads'), { recursive: true, force: true })
writeFileSync(
  join(target, 'facts.json'),
  `${JSON.stringify({ workspaceId: workspace.id, runId: run.id, digest: output.attributes.value }, null, 2)}\n`,
)
process.stdout.write(`${target}\n`)
rmSync(dataDir, { recursive: true, force: true })
rmSync(source, { recursive: true, force: true })
