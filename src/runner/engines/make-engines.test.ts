import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeEngine } from '../../../test/harness/release-mirror.ts'
import { systemClock } from '../../platform/clock.ts'
import type { EngineName } from '../../platform/engine-name.ts'
import { silentLog } from '../../platform/log.ts'
import { makeEngines, type Engines } from './make-engines.ts'

let scratch: string
let bin: string

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'both-engines-'))
  bin = join(scratch, 'bin')
  await mkdir(bin)
})

afterEach(() => rm(scratch, { recursive: true, force: true }))

/** As a process would have them that has just begun. */
const engines = (): Engines =>
  makeEngines({
    directory: join(scratch, 'store'),
    releaseMirrorUrl: 'http://127.0.0.1:1',
    searchPath: bin,
    trustedKeys: [],
    log: silentLog,
    clock: systemClock,
  })
const terraform = () => engines().terraform
const tofu = () => engines().tofu

const putOnPath = async (version: string, engine: EngineName): Promise<void> => {
  await writeFile(join(bin, engine), fakeEngine(version))
  await chmod(join(bin, engine), 0o755)
}

describe('OpenTofu, which is not downloaded', () => {
  it('is found on PATH by its own name, beside the other one', async () => {
    await putOnPath('1.11.4', 'terraform')
    await putOnPath('1.12.6', 'tofu')
    const store = tofu()
    expect(await store.locate('1.12.6')).toMatchObject({ path: join(bin, 'tofu'), version: '1.12.6', source: 'path' })
    expect(await store.resolve('latest')).toBe('1.12.6')
    expect(await terraform().latest()).toBe('1.11.4')
  })

  it('may be added, and is then found beside the other one in the same version', async () => {
    await writeFile(join(scratch, 'download'), fakeEngine('1.6.2'))
    const other = await terraform().add(join(scratch, 'download'), '1.6.2')
    const path = await tofu().add(join(scratch, 'download'), '1.6.2')
    expect(path).toMatch(/\/tofu\/1\.6\.2\/[a-z]+_[a-z0-9]+\/[0-9a-f]{64}\/tofu$/)
    expect((await stat(path)).mode & 0o777).toBe(0o755)
    expect(await tofu().locate('1.6.2')).toMatchObject({ path, version: '1.6.2', source: 'store' })
    expect((await terraform().locate('1.6.2')).path).toBe(other)
    expect(await tofu().add(join(scratch, 'download'), '1.6.2')).toBe(path)
  })

  it('is refused with what to do when it is not installed', async () => {
    await expect(tofu().locate('1.9.0')).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      detail:
        'OpenTofu 1.9.0 is not installed (none is installed), and this server does not download it. Put tofu 1.9.0 on the PATH of the ' +
        'server, or add one to its store with: terrane engine --add FILE, or choose another version for the workspace.',
    })
    await putOnPath('1.12.6', 'tofu')
    await expect(tofu().resolve('~> 1.9.0')).rejects.toThrow(/No OpenTofu version matches "~> 1\.9\.0" \(installed: 1\.12\.6; .*--add FILE/)
  })

  it('is known as far as it is installed, or while none is, as far as it looks like a release', async () => {
    const asked = ['latest', '1.12.6', '~> 1.12.0', '1.6.0', '1.5.7', '0.15.5', '2.0.0', 'nope']
    const known = async (): Promise<string[]> => {
      const answers = await Promise.all(asked.map(async (version) => ((await tofu().isKnown(version)) ? [version] : [])))
      return answers.flat()
    }
    expect(await known()).toEqual(['latest', '1.12.6', '~> 1.12.0', '1.6.0'])
    await putOnPath('1.12.6', 'tofu')
    expect(await known()).toEqual(['latest', '1.12.6', '~> 1.12.0'])
  })
})
