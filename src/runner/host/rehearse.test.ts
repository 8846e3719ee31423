import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { rehearsalInput } from '../../../scripts/rehearsal-input.ts'
import { bundleRunner } from '../../../test/harness/runner-bundle.ts'

it('a worker rehearses without a word, leaves nothing behind and ends with its controller', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'terrane-rehearsal-test-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const [command = '', ...args] = await bundleRunner(directory)
  const temporary = await mkdtemp(join(directory, 'tmp-'))
  const child = spawn(command, args, { env: { TMPDIR: temporary }, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(await rehearsalInput(temporary))
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  // A rehearsal that fails says so.
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expect.stringMatching(/^\{"port":\d+\}\n$/), stderr: '' })
  expect(await readdir(temporary)).toEqual([])
})
