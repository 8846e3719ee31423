// Runs every benchmark; `npm run bench`. Usage: node bench/all.mjs [--json FILE]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { json: { type: 'string' } } })
const directory = mkdtempSync(join(tmpdir(), 'terrane-bench-all-'))
const results = {}
for (const name of ['start', 'run-latency', 'cli', 'drain', 'log-latency', 'reads-writes', 'lists', 'state']) {
  process.stdout.write(`\n── ${name}\n`)
  const file = join(directory, `${name}.json`)
  const script = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url))
  const { status } = spawnSync(process.execPath, [script, '--json', file], { stdio: 'inherit' })
  if (status === 0) results[name] = JSON.parse(readFileSync(file, 'utf8'))
  else process.exitCode = 1
}
rmSync(directory, { recursive: true, force: true })
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(results, null, 2))
