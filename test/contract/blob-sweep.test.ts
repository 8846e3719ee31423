import { spawn } from 'node:child_process'
import { once as onceEmitted } from 'node:events'
import { mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claimDirectory } from '../../src/platform/blobs/claim-directory.ts'
import { makeFsBlobStore } from '../../src/platform/blobs/fs.ts'
import type { BlobStore } from '../../src/platform/blobs/store.ts'
import { sweepBlobs } from '../../src/platform/blobs/sweep-blobs.ts'
import { silentLog } from '../../src/platform/log.ts'

const HOUR_MS = 3_600_000
const storeKey = Buffer.alloc(32, 7)
const never = new AbortController().signal

let directory: string
let blobs: BlobStore
/** How far the clock of the sweep is ahead of that of the file system. */
let aheadMs: number
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'terrane-sweep-'))
  blobs = makeFsBlobStore({ directory, key: storeKey, log: silentLog })
  aheadMs = 0
})
afterEach(() => rm(directory, { recursive: true, force: true }))

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
const put = async (text: string): Promise<string> => (await blobs.put(once(text), { maxBytes: 1000 })).key
const readText = async (key: string): Promise<string> => (await blobs.read(key)).toString()
const clock = { now: () => new Date(Date.now() + aheadMs) }
const sweep = (referred: string[] = []) =>
  sweepBlobs({ directory, clock, youngMs: HOUR_MS, trashMs: 24 * HOUR_MS }, new Set(referred), never)
const placeOf = async (key: string): Promise<'own' | 'trash' | 'both' | 'nowhere'> => {
  const [own, trash] = await Promise.all(
    [join(directory, key.slice(0, 2), key.slice(2, 4), key), join(directory, 'trash', key)].map((file) =>
      stat(file).then(
        () => true,
        () => false,
      ),
    ),
  )
  return own && trash ? 'both' : own ? 'own' : trash ? 'trash' : 'nowhere'
}

const module = (path: string): string => JSON.stringify(new URL(`../../src/platform/${path}`, import.meta.url).pathname)

/** A process that moves the blobs to the trash and back, again and again. */
const startSweeping = (keys: string[]) =>
  spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      `
      const { sweepBlobs } = await import(${module('blobs/sweep-blobs.ts')})
      const clock = { now: () => new Date(Date.now() + ${2 * HOUR_MS}) }
      const options = { directory: ${JSON.stringify(directory)}, clock, youngMs: ${HOUR_MS}, trashMs: ${24 * HOUR_MS} }
      const signal = new AbortController().signal
      for (;;) {
        await sweepBlobs(options, new Set(), signal)
        console.log('swept')
        await sweepBlobs(options, new Set(${JSON.stringify(keys)}), signal)
      }
      `,
    ],
    { env: { PATH: process.env['PATH'] }, stdio: ['ignore', 'pipe', 'inherit'] },
  )

describe('the sweep of blobs', () => {
  it('moves to the trash what nothing refers to and is old enough, and removes it a day later', async () => {
    const [used, unused] = [await put('used'), await put('unused')]
    expect(await sweep([used])).toEqual({ trashed: 0, restored: 0, removed: 0 })
    aheadMs = 2 * HOUR_MS
    const young = await put('young')
    const future = clock.now()
    await utimes(join(directory, young.slice(0, 2), young.slice(2, 4), young), future, future)
    expect(await sweep([used])).toEqual({ trashed: 1, restored: 0, removed: 0 })
    expect([await placeOf(used), await placeOf(unused), await placeOf(young)]).toEqual(['own', 'trash', 'own'])
    aheadMs = 25 * HOUR_MS
    expect(await sweep([used, young])).toEqual({ trashed: 0, restored: 0, removed: 0 })
    aheadMs = 27 * HOUR_MS
    expect(await sweep([used, young])).toEqual({ trashed: 0, restored: 0, removed: 1 })
    expect([await placeOf(used), await placeOf(unused)]).toEqual(['own', 'nowhere'])
    await expect(blobs.read(unused)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('lets read what is in the trash, and moves it back when something refers to it', async () => {
    const key = await put('late')
    aheadMs = 2 * HOUR_MS
    await sweep()
    expect(await placeOf(key)).toBe('trash')
    expect([await readText(key), await blobs.has(key), await blobs.size(key)]).toEqual(['late', true, 4])
    aheadMs = 100 * HOUR_MS
    expect(await sweep([key])).toMatchObject({ restored: 1, removed: 0 })
    expect([await placeOf(key), await readText(key)]).toEqual(['own', 'late'])
  })

  it('takes nothing from whoever puts the same content again', async () => {
    const key = await put('again')
    aheadMs = 2 * HOUR_MS
    await sweep()
    expect(await put('again')).toBe(key)
    expect(await placeOf(key)).toBe('both')
    aheadMs = 26.5 * HOUR_MS
    // it is referred to only after the references were read
    await sweep()
    expect(await readText(key)).toBe('again')
  })

  it('is the same when it was killed between any two steps, and when two run at once', async () => {
    const keys = await Promise.all(Array.from({ length: 40 }, (_, i) => put(`blob ${i}`)))
    const used = keys.filter((_, i) => i % 4 === 0)
    aheadMs = 2 * HOUR_MS
    for (let step = 1; step <= 40; step += 7) {
      const killed = new AbortController()
      let looks = 0
      const references = {
        has: (key: string) => {
          looks += 1
          if (looks === step) killed.abort()
          return used.includes(key)
        },
        size: used.length,
      }
      await sweepBlobs({ directory, clock, youngMs: HOUR_MS, trashMs: 24 * HOUR_MS }, references, killed.signal).catch(() => undefined)
      for (const key of keys) expect(await blobs.has(key)).toBe(true)
    }
    await Promise.all([sweep(used), sweep(used)])
    aheadMs = 30 * HOUR_MS
    await Promise.all([sweep(used), sweep(used)])
    for (const [i, key] of keys.entries()) expect(await placeOf(key)).toBe(i % 4 === 0 ? 'own' : 'nowhere')
  })

  it('lets reading and putting go on: no blob that is referred to is ever missing', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, (_, i) => put(`busy ${i}`)))
    aheadMs = 2 * HOUR_MS
    let isOver = false
    const moving = (async () => {
      // everything to the trash and back
      for (let round = 0; round < 15; round++) {
        await sweep()
        await sweep(keys)
      }
      isOver = true
    })()
    let reads = 0
    while (!isOver) {
      const i = reads++ % keys.length
      expect(await readText(keys[i] ?? '')).toBe(`busy ${i}`)
      if (reads % 5 === 0) await put(`busy ${i}`)
    }
    await moving
    expect(reads).toBeGreaterThan(20)
  })

  it('loses nothing when another process that sweeps is killed with SIGKILL, while this one puts and reads', async () => {
    const texts = Array.from({ length: 30 }, (_, i) => `blob ${i}`)
    const keys = await Promise.all(texts.map(put))
    for (let round = 0; round < 2; round++) {
      const child = startSweeping(keys)
      await onceEmitted(child.stdout, 'data')
      for (let i = 0; i < 60; i++) {
        const at = (i * 7) % keys.length
        expect(await readText(keys[at] ?? '')).toBe(texts[at])
        expect(await put(texts[(at + 1) % keys.length] ?? '')).toBe(keys[(at + 1) % keys.length])
      }
      child.kill('SIGKILL')
      await onceEmitted(child, 'exit')
      for (const [i, key] of keys.entries()) expect(await readText(key)).toBe(texts[i])
    }
    aheadMs = 100 * HOUR_MS
    await sweep(keys)
    for (const key of keys) expect(await placeOf(key)).toBe('own')
  })

  it('leaves uploads under way alone, and files that are none of its own', async () => {
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => (release = resolve))
    const stored = blobs.put(
      (async function* () {
        yield Buffer.from('first ')
        await gate
        yield Buffer.from('second')
      })(),
      { maxBytes: 1000 },
    )
    aheadMs = 100 * HOUR_MS
    expect(await sweep()).toEqual({ trashed: 0, restored: 0, removed: 0 })
    release()
    expect(await readText((await stored).key)).toBe('first second')
    expect((await readdir(directory)).includes('uploads')).toBe(true)
  })
})

describe('a directory of blobs', () => {
  it('belongs to the installation that was first', async () => {
    expect(await claimDirectory(directory, 'one')).toBe(true)
    expect(await claimDirectory(directory, 'two')).toBe(false)
    expect(await claimDirectory(directory, 'one')).toBe(true)
  })
})
