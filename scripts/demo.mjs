// First run: starts the server on an embedded database, makes an organization, and drives the real terraform CLI through a remote plan
// and apply of examples/hello on a separate runner process. Then stays up; `--exit` ends after the apply.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const isExiting = process.argv.includes('--exit')
const dataDir = resolve(process.env.TERRANE_DATA ?? join(root, '.terrane', 'demo'))
const say = (text) => process.stdout.write(`${text}\n`)
const step = (text) => say(`\n── ${text}`)

const freePort = (wanted) =>
  new Promise((done) => {
    const probe = createServer()
    probe.once('error', () => done(freePort(0)))
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => done(port))
    })
  })

const startServer = (port) =>
  new Promise((done, fail) => {
    const server = spawn(
      process.execPath,
      [join(root, 'dist', 'terrane.js'), 'server', '--data', dataDir, '--listen', `127.0.0.1:${port}`],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    let output = ''
    let errors = ''
    server.stderr.on('data', (bytes) => (errors = (errors + bytes).slice(-4000)))
    server.stdout.on('data', (bytes) => {
      output += bytes
      const ready = /^ready (\S+)$/m.exec(output)
      if (ready !== null) done({ server, url: ready[1] })
    })
    server.once('exit', (code) => fail(new Error(`the server ended with code ${code}\n${errors}`)))
  })

/** Terraform with nothing of the user's own configuration. */
const terraform = (binary, cwd, args) => {
  say(`$ terraform ${args.join(' ')}`)
  const env = {
    PATH: process.env.PATH,
    HOME: homedir(),
    TF_CLI_CONFIG_FILE: join(dataDir, 'terraform.rc'),
    TF_CLOUD_HOSTNAME: 'localhost',
    TF_CLOUD_ORGANIZATION: 'demo',
    CHECKPOINT_DISABLE: '1',
  }
  const { status, error } = spawnSync(binary, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`terraform ${args[0]} ended with code ${status}`)
}

const call = async (url, token, method, path, data) => {
  const response = await fetch(`${url}/api/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
    ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
  })
  return { status: response.status, text: await response.text() }
}

const main = async () => {
  if (!existsSync(join(root, 'dist', 'terrane.js'))) {
    step('Building')
    const { status } = spawnSync(process.execPath, [join(root, 'esbuild.mjs')], { cwd: root, stdio: 'inherit' })
    if (status !== 0) throw new Error('the build failed')
  }
  step('Starting the server: embedded SQLite, runners as separate processes over mutual TLS')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const { server, url } = await startServer(await freePort(8080))
  let work
  try {
    say(`ready at ${url}, data in ${dataDir}`)
    const token = readFileSync(join(dataDir, 'admin.token'), 'utf8').trim()

    step('Creating the organization "demo"')
    const created = await call(url, token, 'POST', 'organizations', {
      type: 'organizations',
      attributes: { name: 'demo', email: 'demo@example.com' },
    })
    if (created.status !== 201 && !created.text.includes('already been taken'))
      throw new Error(`organization: ${created.status} ${created.text}`)
    say(created.status === 201 ? 'created' : 'it is there already')

    step('Finding terraform')
    const found = spawnSync(process.execPath, [join(root, 'dist', 'terrane.js'), 'engine', '--data', dataDir], { encoding: 'utf8' })
    if (found.status !== 0) throw new Error(found.stderr.trim())
    const binary = found.stdout.trim()
    say(binary)

    work = mkdtempSync(join(tmpdir(), 'terrane-hello-'))
    cpSync(join(root, 'examples', 'hello'), work, { recursive: true })
    step('terraform init')
    terraform(binary, work, ['init', '-input=false'])
    step('A remote plan and apply')
    terraform(binary, work, ['plan', '-input=false'])
    terraform(binary, work, ['apply', '-input=false', '-auto-approve'])
    step('terraform output')
    terraform(binary, work, ['output'])

    step('Done. The server is up:')
    say(`URL:    ${url}`)
    say(`token:  in ${join(dataDir, 'admin.token')}`)
    const setupFile = join(dataDir, 'setup.url')
    if (existsSync(setupFile))
      say(`login:  open ${process.stdout.isTTY ? readFileSync(setupFile, 'utf8').trim() : `the link in ${setupFile}`}`)
    say('')
    say('Point your own terraform at it, in any directory with a cloud block:')
    say(`  eval "$(npx terrane env --data ${dataDir})"`)
    say('  terraform init && terraform plan')
    if (!isExiting) {
      say('\nCtrl-C stops the server.')
      await new Promise((done) => {
        process.once('SIGINT', done)
        process.once('SIGTERM', done)
      })
    }
  } finally {
    if (work !== undefined) rmSync(work, { recursive: true, force: true })
    const ended = new Promise((done) => server.once('exit', done))
    server.kill('SIGTERM')
    await ended
  }
}

main().catch((error) => {
  process.stderr.write(`\ndemo failed: ${error.message}\n`)
  process.exitCode = 1
})
