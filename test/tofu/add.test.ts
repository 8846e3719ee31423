import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { silentLog } from '../../src/platform/log.ts'
import { identifyEngine } from '../../src/runner/engines/identify-engine.ts'
import { makeEngines } from '../../src/runner/engines/make-engines.ts'
import { buildTofu } from './build-tofu.ts'

it('a binary of tofu is known as such, taken into the store and used from there', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'terrane-engines-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const file = await buildTofu()
  expect(await identifyEngine(file)).toEqual({ engine: 'tofu', version: '1.12.6' })
  const options = { directory, releaseMirrorUrl: 'http://127.0.0.1:1', searchPath: '', trustedKeys: [], log: silentLog, clock: systemClock }
  const path = await makeEngines(options).tofu.add(file, '1.12.6')
  const { tofu } = makeEngines(options)
  expect(await tofu.latest()).toBe('1.12.6')
  expect(await tofu.locate('1.12.6')).toMatchObject({ path, version: '1.12.6', source: 'store' })
  expect((await promisify(execFile)(path, ['version'], { env: {} })).stdout).toMatch(/^OpenTofu v1\.12\.6\n/)
})
