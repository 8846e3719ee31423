import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleRunner } from '../../../test/harness/runner-bundle.ts'
import { BOOTSTRAP_LIMIT_BYTES } from './bootstrap.ts'

let directory: string
let entry: string[]
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'terrane-bundle-'))
  entry = await bundleRunner(directory)
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const run = async (input: string): Promise<{ code: number | null; stdout: string; stderr: string }> => {
  const [command = '', ...args] = entry
  const child = spawn(command, args, { env: {}, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => undefined).end(input)
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  return { code, stdout, stderr }
}

describe('a worker that nobody binds', () => {
  it('ends when its controller does', async () => {
    expect(await run('')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await run('{"installationId":"half a line')).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it.each([
    ['no JSON', 'canary-secret\n'],
    ['another message', `${JSON.stringify({ privateKeyPem: 'canary-secret', port: 1 })}\n`],
    ['too long a message', `${'canary-secret'.repeat(BOOTSTRAP_LIMIT_BYTES / 8)}\n`],
  ])('refuses %s without showing it', async (_what, input) => {
    const { code, stdout, stderr } = await run(input)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain('the message on stdin')
    expect(stderr).not.toContain('canary')
  })
})
