// `npm run dev`: the server from its sources, restarted at each change, with its data in .terrane/dev. More arguments go to the server.
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { buildAssets } from './build-assets.mjs'

const dataDir = '.terrane/dev'
await buildAssets('dist/assets')
const server = spawn(
  process.execPath,
  [
    'node_modules/tsx/dist/cli.mjs',
    'watch',
    '--clear-screen=false',
    'src/bin/terrane.ts',
    'server',
    '--data',
    dataDir,
    ...process.argv.slice(2),
  ],
  { stdio: ['inherit', 'pipe', 'inherit'] },
)
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal))
server.on('exit', (code) => process.exit(code ?? 0))

for await (const line of createInterface({ input: server.stdout })) {
  console.log(line)
  if (!line.startsWith('ready ')) continue
  const file = `${dataDir}/admin.token`
  const token = process.stdout.isTTY ? await readFile(file, 'utf8').catch(() => undefined) : undefined
  console.log(`token ${token?.trim() ?? `in ${file}`}`)
  console.log(`terraform: eval "$(npx tsx src/bin/terrane.ts env --data ${dataDir})"`)
}
