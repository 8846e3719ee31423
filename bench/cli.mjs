// Wall time of terraform init, plan and apply for one resource: by the CLI through the server, and by the CLI alone. Pairs alternate.
// Usage: node bench/cli.mjs [--pairs 5] [--json FILE]
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median, printTable, startBenchServer } from './lib.mjs'

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '5' }, json: { type: 'string' } } })
const RESOURCE = 'resource "terraform_data" "one" {\n  input = "x"\n}\n'

const timed = (configuration, env) => {
  const cwd = mkdtempSync(join(tmpdir(), 'terrane-bench-cli-'))
  writeFileSync(join(cwd, 'main.tf'), configuration)
  const terraform = (...args) =>
    execFileSync('terraform', args, { cwd, env: { PATH: process.env.PATH, HOME: cwd, CHECKPOINT_DISABLE: '1', ...env }, stdio: 'pipe' })
  const started = performance.now()
  terraform('init', '-input=false')
  terraform('plan', '-input=false')
  terraform('apply', '-input=false', '-auto-approve')
  const ms = performance.now() - started
  rmSync(cwd, { recursive: true, force: true })
  return ms
}

const server = await startBenchServer()
try {
  await server.api('POST', 'organizations', { type: 'organizations', attributes: { name: 'bench', email: 'b@example.com' } })
  const remote = []
  const local = []
  for (let i = 0; i < Number(values.pairs); i++) {
    const cloud = `terraform {\n  cloud {\n    hostname = "localhost"\n    organization = "bench"\n    workspaces {\n      name = "w${i}"\n    }\n  }\n}\n`
    remote.push(timed(cloud + RESOURCE, { TF_CLI_CONFIG_FILE: join(server.dir, 'terraform.rc') }))
    local.push(timed(RESOURCE, {}))
  }
  const result = { pairs: remote.length, remoteMs: median(remote), localMs: median(local) }
  printTable([
    ['terraform init, plan, apply through the server, median', `${(result.remoteMs / 1000).toFixed(2)} s`],
    ['the same alone, median', `${(result.localMs / 1000).toFixed(2)} s`],
  ])
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(result, null, 2))
} finally {
  await server.stop()
}
