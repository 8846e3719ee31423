import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fakeEngine, generateSigningKey, makeZip, signDetached, startMirror } from '../../../test/harness/release-mirror.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { makeEngineStore } from './engine-store.ts'

const run = promisify(execFile)

let key: Awaited<ReturnType<typeof generateSigningKey>>
let mirror: Awaited<ReturnType<typeof startMirror>>
let scratch: string
let directory: string
let bin: string

beforeAll(async () => {
  key = await generateSigningKey()
})

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'engine-store-'))
  directory = join(scratch, 'store')
  bin = join(scratch, 'bin')
  await mkdir(bin)
  mirror = await startMirror(key.privateKey)
})

afterEach(async () => {
  await mirror.close()
  await rm(scratch, { recursive: true, force: true })
})

type Overrides = Partial<Parameters<typeof makeEngineStore>[0]> & { releaseMirrorUrl?: string }

const makeStore = ({ releaseMirrorUrl = mirror.url, ...overrides }: Overrides = {}) =>
  makeEngineStore({
    engine: 'terraform',
    directory,
    releases: { mirrorUrl: releaseMirrorUrl, trustedKeys: [key.armored] },
    searchPath: `relative:${bin}:${join(scratch, 'absent')}`,
    log: silentLog,
    clock: systemClock,
    ...overrides,
  })

const putOnPath = async (version: string): Promise<void> => {
  await writeFile(join(bin, 'terraform'), fakeEngine(version))
  await chmod(join(bin, 'terraform'), 0o755)
}

/** Everything in the store but its directories. */
const storedFiles = async (): Promise<string[]> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
}

describe('locate: download', () => {
  it('downloads, verifies and stores one executable file', async () => {
    await mirror.publish('1.5.0')
    const umask = process.umask(0o077)
    const engine = await makeStore()
      .locate('1.5.0')
      .finally(() => process.umask(umask))
    expect(engine).toMatchObject({ version: '1.5.0', source: 'store' })
    expect((await run(engine.path, ['version', '-json'])).stdout).toContain('1.5.0')
    expect(engine.path).toMatch(/\/terraform\/1\.5\.0\/[a-z]+_[a-z0-9]+\/[0-9a-f]{64}\/terraform$/)
    expect(await storedFiles()).toEqual([engine.path])
    expect((await stat(engine.path)).mode & 0o777).toBe(0o755)
    for (let parent = dirname(engine.path); parent !== directory; parent = dirname(parent)) {
      expect((await stat(parent)).mode & 0o777).toBe(0o755)
    }
  })

  it('takes nothing but the engine out of the archive', async () => {
    const archive = makeZip([
      { name: 'LICENSE.txt', content: 'licence' },
      { name: 'bin/terraform', content: 'other' },
      { name: 'terraform', content: fakeEngine('1.5.0') },
      { name: 'link', content: '/etc/passwd', mode: 0o120777 },
    ])
    await mirror.publish('1.5.0', archive)
    const engine = await makeStore().locate('1.5.0')
    expect(await readFile(engine.path, 'utf8')).toBe(fakeEngine('1.5.0'))
    expect(await storedFiles()).toEqual([engine.path])
  })

  it('downloads once for concurrent callers, also of two stores on one directory', async () => {
    await mirror.publish('1.5.0')
    const stores = [makeStore(), makeStore()]
    const engines = await Promise.all([...stores, ...stores, ...stores].map((store) => store.locate('1.5.0')))
    expect(new Set(engines.map(({ path }) => path)).size).toBe(1)
    expect(mirror.downloads('1.5.0')).toBe(1)
  })

  it('sends the credentials of the mirror URL and shows them in no message', async () => {
    const releaseMirrorUrl = mirror.url.replace('://', '://reader:p%40ss@')
    const error = await makeStore({ releaseMirrorUrl })
      .locate('1.5.0')
      .catch((reason: unknown) => String(reason))
    expect([...mirror.authorizations]).toEqual([`Basic ${Buffer.from('reader:p@ss').toString('base64')}`])
    expect(error).toContain(mirror.url)
    expect(error).not.toMatch(/reader|p%40ss|p@ss/)
  })

  it('takes over the lock of a holder that died', async () => {
    await mirror.publish('1.5.0')
    await mkdir(directory)
    const lock = join(directory, 'terraform-1.5.0.lock')
    await writeFile(lock, '{"pid":1,"host":"another.example"}')
    const longAgo = new Date(Date.now() - 60_000)
    await utimes(lock, longAgo, longAgo)
    const { path } = await makeStore().locate('1.5.0')
    await rm(path)
    await writeFile(lock, JSON.stringify({ pid: spawnSync('/bin/true').pid, host: hostname() }))
    expect((await makeStore().locate('1.5.0')).path).toBe(path)
    await expect(stat(lock)).rejects.toThrow('ENOENT')
  })

  it('refuses what is no exact version', async () => {
    await expect(makeStore().locate('../1.5.0')).rejects.toMatchObject({ code: 'INVALID' })
    await expect(makeStore().locate('~> 1.5')).rejects.toMatchObject({ code: 'INVALID' })
  })
})

describe('locate: refusals', () => {
  const refusals: [string, RegExp, () => Promise<void> | void][] = [
    [
      'an archive that does not match the sum',
      /checksum of terraform_1\.5\.0_\w+\.zip does not match/,
      () => void mirror.files.set(mirror.archivePath('1.5.0'), makeZip([{ name: 'terraform', content: 'evil' }])),
    ],
    [
      'sums that were changed after signing',
      /not a valid one by a trusted key/,
      () => void mirror.files.set(mirror.sumsPath('1.5.0'), Buffer.from(`${'a'.repeat(64)}  x\n`)),
    ],
    [
      'a signature by another key',
      /not a valid one by a trusted key/,
      async () => {
        const { privateKey } = await generateSigningKey()
        const sums = mirror.files.get(mirror.sumsPath('1.5.0')) ?? Buffer.alloc(0)
        mirror.files.set(`${mirror.sumsPath('1.5.0')}.sig`, await signDetached(sums, privateKey))
      },
    ],
    [
      'a signature file that is none',
      /no OpenPGP signature|trusted key/,
      () => void mirror.files.set(`${mirror.sumsPath('1.5.0')}.sig`, Buffer.from('<html>sign in</html>')),
    ],
    [
      'a truncated archive',
      /zip|archive|central directory/i,
      () => mirror.publish('1.5.0', makeZip([{ name: 'terraform', content: 'x'.repeat(500) }]).subarray(0, 300)),
    ],
    [
      'a symbolic link',
      /symbolic link/,
      () => mirror.publish('1.5.0', makeZip([{ name: 'terraform', content: '/bin/sh', mode: 0o120777 }])),
    ],
    [
      'two engines in one archive',
      /two files named terraform/,
      () =>
        mirror.publish(
          '1.5.0',
          makeZip([
            { name: 'terraform', content: 'a' },
            { name: 'terraform', content: 'b' },
          ]),
        ),
    ],
    [
      'a path that leaves the archive',
      /invalid|relative/i,
      () => mirror.publish('1.5.0', makeZip([{ name: '../terraform', content: 'a' }])),
    ],
    ['an archive without engine', /no file named terraform/, () => mirror.publish('1.5.0', makeZip([{ name: 'readme', content: 'a' }]))],
  ]
  it.each(refusals)('refuses %s and keeps nothing', async (_, reason, spoil) => {
    await mirror.publish('1.5.0')
    await spoil()
    const refusal = makeStore().locate('1.5.0')
    await expect(refusal).rejects.toMatchObject({ code: 'ENGINE_BAD_CHECKSUM' })
    await expect(refusal).rejects.toThrow(reason)
    expect(await storedFiles()).toEqual([])
    await mirror.publish('1.5.0')
    await expect(makeStore().locate('1.5.0')).resolves.toMatchObject({ source: 'store' })
  })

  it('says what to do when the mirror is down', async () => {
    const store = makeStore({ releaseMirrorUrl: 'http://127.0.0.1:1/mirror' })
    const failure = store.locate('1.5.0')
    await expect(failure).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE', retryable: true })
    await expect(failure).rejects.toThrow(
      /Terraform 1\.5\.0 is not installed and could not be downloaded from http:\/\/127\.0\.0\.1:1\/mirror\/: .+\. Put a terraform 1\.5\.0 on PATH, or set --release-mirror/,
    )
  })

  it('says so when the version was withdrawn, or has no build for this platform', async () => {
    await expect(makeStore().locate('1.5.0')).rejects.toThrow(/the mirror has no .*SHA256SUMS \(HTTP 404\)/)
    const sums = Buffer.from(`${'0'.repeat(64)}  terraform_1.5.0_plan9_amd64.zip\n`)
    mirror.files.set(mirror.sumsPath('1.5.0'), sums)
    mirror.files.set(`${mirror.sumsPath('1.5.0')}.sig`, await signDetached(sums, key.privateKey))
    await expect(makeStore().locate('1.5.0')).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      detail: expect.stringContaining('the release has no'),
    })
  })
})

describe('locate: stored copy', () => {
  it('is used offline by a later process', async () => {
    await mirror.publish('1.5.0')
    const { path } = await makeStore().locate('1.5.0')
    const offline = makeStore({ releaseMirrorUrl: 'http://127.0.0.1:1' })
    expect(await offline.locate('1.5.0')).toMatchObject({ path, version: '1.5.0', source: 'store' })
    expect(await offline.resolve('~> 1.5.0')).toBe('1.5.0')
    expect(await offline.latest()).toBe('1.5.0')
  })

  it('is replaced when it was tampered with, and an error when that is impossible', async () => {
    await mirror.publish('1.5.0')
    const { path } = await makeStore().locate('1.5.0')
    await writeFile(path, 'evil')
    const { path: replaced } = await makeStore().locate('1.5.0')
    expect(await readFile(replaced, 'utf8')).toBe(fakeEngine('1.5.0'))
    expect(mirror.downloads('1.5.0')).toBe(2)

    await writeFile(path, 'evil')
    const offline = makeStore({ releaseMirrorUrl: 'http://127.0.0.1:1' })
    const failure = offline.locate('1.5.0')
    await expect(failure).rejects.toMatchObject({ code: 'ENGINE_BAD_CHECKSUM' })
    await expect(failure).rejects.toThrow(/stored terraform 1\.5\.0 was damaged and has been removed.*--release-mirror/)
    expect(await storedFiles()).toEqual([])
  })
})

describe('PATH', () => {
  it('counts as installed in its version, and is asked again after an upgrade in place', async () => {
    await putOnPath('1.6.2')
    const store = makeStore()
    expect(await store.locate('1.6.2')).toMatchObject({ path: join(bin, 'terraform'), version: '1.6.2', source: 'path' })
    expect(await store.latest()).toBe('1.6.2')
    await rm(join(bin, 'terraform'))
    await putOnPath('1.10.0')
    expect(await store.latest()).toBe('1.10.0')
    await expect(store.locate('1.6.2')).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
    expect(mirror.requests.filter((path) => path.endsWith('index.json'))).toEqual([])
  })

  it('ignores what is no terraform', async () => {
    await writeFile(join(bin, 'terraform'), '#!/bin/sh\necho hello\n')
    await chmod(join(bin, 'terraform'), 0o755)
    expect(await makeStore().latest()).toBe('1.11.4')
  })

  it('finds the real terraform of this machine', async () => {
    const engine = await makeStore({ searchPath: process.env['PATH'] ?? '' }).locate('1.11.4')
    expect(engine).toMatchObject({ version: '1.11.4', source: 'path' })
  })
})

describe('resolve', () => {
  it('prefers the newest installed match, then the newest that the mirror has for this platform', async () => {
    await putOnPath('1.6.2')
    mirror.list(['1.6.9', '1.7.0', '1.7.5', '1.8.0-rc1', 'broken'], ['1.7.9'])
    const store = makeStore()
    expect(await store.resolve('~> 1.6.0')).toBe('1.6.2')
    expect(await store.resolve('latest')).toBe('1.6.2')
    expect(await store.resolve('> 1.6.2')).toBe('1.7.5')
    expect(await store.resolve('~> 1.7.0')).toBe('1.7.5')
    expect(await store.resolve('1.7')).toBe('1.7.0')
    expect(await store.resolve('1.8.0-rc1')).toBe('1.8.0-rc1')
    expect(mirror.requests).toEqual(['/terraform/index.json'])
  })

  it('takes the newest release for "latest" when nothing is installed', async () => {
    mirror.list(['1.7.5', '1.8.0-rc1'])
    expect(await makeStore().resolve('latest')).toBe('1.7.5')
    expect(await makeStore().latest()).toBe('1.11.4')
  })

  it('tells why nothing matches', async () => {
    await putOnPath('1.6.2')
    mirror.list(['1.7.5'])
    await expect(makeStore().resolve('~> 3.0')).rejects.toThrow(/matches "~> 3\.0" \(installed: 1\.6\.2; http.* offers no match\)/)
    const offline = makeStore({ releaseMirrorUrl: 'http://127.0.0.1:1' }).resolve('~> 1.7.0')
    await expect(offline).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      detail: expect.stringMatching(/could not be read: .+--release-mirror/),
    })
    await expect(makeStore().resolve('nope')).rejects.toMatchObject({
      code: 'INVALID',
      source: { pointer: '/data/attributes/terraform-version' },
    })
  })

  it('reads the index again after an hour, and keeps the old one when that fails', async () => {
    let nowMs = 0
    const store = makeStore({ clock: { now: () => new Date(), monotonicMs: () => nowMs } })
    mirror.list(['1.7.5'])
    expect(await store.resolve('~> 1.7')).toBe('1.7.5')
    mirror.list(['1.7.6'])
    expect(await store.resolve('~> 1.7')).toBe('1.7.5')
    nowMs = 61 * 60_000
    expect(await store.resolve('~> 1.7')).toBe('1.7.6')
    mirror.files.set('/terraform/index.json', Buffer.from('<html>'))
    nowMs = 122 * 60_000
    expect(await store.resolve('~> 1.7')).toBe('1.7.6')
  })
})

describe('isKnown', () => {
  const asked = [
    'latest',
    '1.6.2',
    '1.7.5',
    '~> 1.7.0',
    '>= 1.2, < 2',
    '1.6.3',
    '1.99.0',
    '0.9.11',
    '0.10.0',
    '999.0.0',
    '>= 999',
    'nope',
    '1.x.y',
    '',
  ]

  it('accepts what is installed or listed', async () => {
    await putOnPath('1.6.2')
    mirror.list(['1.7.5'])
    const store = makeStore()
    const known = await Promise.all(asked.map(async (version) => ((await store.isKnown(version)) ? version : undefined)))
    expect(known.filter((version) => version !== undefined)).toEqual(['latest', '1.6.2', '1.7.5', '~> 1.7.0', '>= 1.2, < 2'])
  })

  it('accepts what looks like a release while the mirror cannot be reached, asking it once a minute', async () => {
    await mirror.close()
    let calls = 0
    const fetch: typeof globalThis.fetch = (...args) => {
      calls++
      return globalThis.fetch(...args)
    }
    const store = makeStore({ fetch })
    const known: string[] = []
    for (const version of asked) if (await store.isKnown(version)) known.push(version)
    expect(known).toEqual(['latest', '1.6.2', '1.7.5', '~> 1.7.0', '>= 1.2, < 2', '1.6.3', '1.99.0', '0.10.0'])
    expect(calls).toBe(1)
  })
})
