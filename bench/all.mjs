// Runs every benchmark; `npm run bench`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

for (const name of ['start', 'run-latency', 'cli']) {
  process.stdout.write(`\n── ${name}\n`)
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL(`./${name}.mjs`, import.meta.url))], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
