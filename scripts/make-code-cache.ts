// Writes FILE.cache beside the runner's program: what V8 makes of its source, so that it starts faster. What is run in a rehearsal is in it too.
// `tsx scripts/make-code-cache.ts FILE`
import { chmodSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { systemClock } from '../src/platform/clock.ts'
import { makeRehearsal } from '../src/runner/controller/make-rehearsal.ts'
import { loadScript } from '../src/runner/host/load-script.ts'

const file = resolve(process.argv[2] ?? '')
const message = JSON.stringify({ rehearsal: await makeRehearsal(systemClock) })
Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(`${message}\n`)]) })
// The worker ends with its input.
process.once('exit', () => {
  writeFileSync(`${file}.cache`, script.createCachedData())
  chmodSync(`${file}.cache`, 0o644)
})
const script = loadScript(file)
