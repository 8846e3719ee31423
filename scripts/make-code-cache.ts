// Writes FILE.cache beside the runner's program: what V8 makes of its source, so that it starts faster. What a rehearsal runs is in it too.
// `tsx scripts/make-code-cache.ts FILE`
import { chmodSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { loadScript } from '../src/runner/host/load-script.ts'
import { rehearsalInput } from './rehearsal-input.ts'

const file = resolve(process.argv[2] ?? '')
const input = Buffer.from(await rehearsalInput(tmpdir()))
Object.defineProperty(process, 'stdin', { value: Readable.from([input]) })
// The worker ends with its input.
process.once('exit', () => {
  writeFileSync(`${file}.cache`, script.createCachedData())
  chmodSync(`${file}.cache`, 0o644)
})
const script = loadScript(file)
