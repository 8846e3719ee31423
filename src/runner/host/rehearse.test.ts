import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { bundleRunner } from '../../../test/harness/runner-bundle.ts'
import { systemClock } from '../../platform/clock.ts'
import { makeRehearsal } from '../controller/make-rehearsal.ts'

it('a worker rehearses without a word, leaves nothing behind and takes the next message', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'terrane-rehearsal-test-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const [command = '', ...args] = await bundleRunner(directory)
  const temporary = await mkdtemp(join(directory, 'tmp-'))
  const child = spawn(command, args, { env: { TMPDIR: temporary }, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(`${JSON.stringify({ rehearsal: await makeRehearsal(systemClock) })}\n{"not":"a bootstrap"}\n`)
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  // Exit code 2 is what the second message deserves; a rehearsal that fails would have said so.
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^terrane-runner: the message on stdin [^\n]*\n$/),
  })
  expect(await readdir(temporary)).toEqual([])
})
