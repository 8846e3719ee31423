import { createHash, randomBytes } from 'node:crypto'
import { spawn } from 'node:child_process'
import { copyFile, mkdtemp, open, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFsBlobStore } from '../../src/platform/blobs/fs.ts'
import type { BlobStore } from '../../src/platform/blobs/store.ts'
import { silentLog } from '../../src/platform/log.ts'
import { waitFor } from '../harness/wait-for.ts'

const SEGMENT = 65_536
const MEGABYTE = 1_048_576
const maxBytes = 200 * MEGABYTE
const storeKey = Buffer.alloc(32, 7)

let directory: string
let blobs: BlobStore
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'terrane-blobs-'))
  blobs = makeFsBlobStore({ directory, key: storeKey, log: silentLog })
})
afterEach(() => rm(directory, { recursive: true, force: true }))

async function* chunksOf(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

const hash = (algorithm: string, bytes: Uint8Array): string => createHash(algorithm).update(bytes).digest('hex')

const collect = async (stream: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const fileOf = (key: string): string => join(directory, key.slice(0, 2), key.slice(2, 4), key)

const filesBelow = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { withFileTypes: true, recursive: true })).filter((entry) => entry.isFile()).map((entry) => entry.name)

describe('blob store', () => {
  it.each([0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 3 * SEGMENT, 3 * SEGMENT + 17])('gives back %i bytes', async (size) => {
    const bytes = randomBytes(size)
    const stored = await blobs.put(chunksOf(bytes.subarray(0, 10), bytes.subarray(10)), { maxBytes })
    expect(stored).toEqual({ key: hash('sha256', bytes), bytes: size, md5: hash('md5', bytes) })
    expect((await blobs.read(stored.key)).equals(bytes)).toBe(true)
    expect(await blobs.has(stored.key)).toBe(true)
  })

  it.each([
    [0, 1],
    [5, 10],
    [SEGMENT - 3, 6],
    [SEGMENT, SEGMENT],
    [10, 3 * SEGMENT],
    [3 * SEGMENT, 1000],
    [3 * SEGMENT + 100, 10],
    [9_000_000, 10],
    [100, 0],
    [7, Infinity],
  ])('reads the range from %i of length %i', async (offset, length) => {
    const bytes = randomBytes(3 * SEGMENT + 100)
    const { key } = await blobs.put(chunksOf(bytes), { maxBytes })
    expect((await collect(blobs.get(key, { offset, length }))).equals(bytes.subarray(offset, offset + length))).toBe(true)
  })

  it('reads a range without touching the rest of the file', async () => {
    const bytes = randomBytes(3 * SEGMENT)
    const { key } = await blobs.put(chunksOf(bytes), { maxBytes })
    await damage(fileOf(key), 100)
    expect((await collect(blobs.get(key, { offset: 2 * SEGMENT, length: 10 }))).equals(bytes.subarray(2 * SEGMENT, 2 * SEGMENT + 10))).toBe(
      true,
    )
  })

  it('answers NOT_FOUND for what is not there and for what is no key', async () => {
    await writeFile(join(directory, 'outside'), 'x')
    for (const key of ['0'.repeat(64), 'A'.repeat(64), '', '../outside', `${'0'.repeat(63)}/`, `${'0'.repeat(64)}\n`]) {
      await expect(blobs.read(key)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(await blobs.has(key)).toBe(false)
    }
    expect(await filesBelow(directory)).toEqual(['outside'])
  })

  it('keeps one file for equal content, also when it is put many times at once', async () => {
    const puts = await Promise.all(Array.from({ length: 8 }, () => blobs.put(chunksOf(Buffer.from('same')), { maxBytes })))
    expect(new Set(puts.map((put) => put.key)).size).toBe(1)
    const { ino } = await stat(fileOf(puts[0]?.key ?? ''))
    await blobs.put(chunksOf(Buffer.from('same')), { maxBytes })
    expect((await stat(fileOf(puts[0]?.key ?? ''))).ino).toBe(ino)
    expect(await filesBelow(directory)).toHaveLength(1)
  })

  it('keeps nothing readable on the disk', async () => {
    const { key } = await blobs.put(chunksOf(Buffer.from('a very secret state')), { maxBytes })
    const file = await readFile(fileOf(key))
    expect(file.includes('secret')).toBe(false)
    const stranger = makeFsBlobStore({ directory, key: Buffer.alloc(32, 8), log: silentLog })
    await expect(stranger.read(key)).rejects.toMatchObject({ code: 'INTERNAL' })
  })

  it('stops at the limit and leaves nothing', async () => {
    let asked = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        asked += 1
        yield Buffer.alloc(SEGMENT)
      }
    }
    await expect(blobs.put(endless(), { maxBytes: 10 * SEGMENT })).rejects.toMatchObject({ code: 'TOO_LARGE' })
    expect(asked).toBe(11)
    expect(await filesBelow(directory)).toEqual([])
    const exact = await blobs.put(chunksOf(Buffer.alloc(10)), { maxBytes: 10 })
    expect(exact.bytes).toBe(10)
  })

  it('leaves nothing when the source fails', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield randomBytes(3 * SEGMENT)
      throw new Error('client went away')
    }
    await expect(blobs.put(failing(), { maxBytes })).rejects.toThrow('client went away')
    expect(await filesBelow(directory)).toEqual([])
  })
})

/** Flips one bit. */
const damage = async (file: string, position: number): Promise<void> => {
  const handle = await open(file, 'r+')
  const byte = Buffer.alloc(1)
  await handle.read(byte, 0, 1, position)
  byte[0] = (byte[0] ?? 0) ^ 1
  await handle.write(byte, 0, 1, position)
  await handle.close()
}

describe('a damaged blob is refused', () => {
  const size = 2 * SEGMENT + 5
  let key: string
  beforeEach(async () => {
    key = (await blobs.put(chunksOf(randomBytes(size)), { maxBytes })).key
  })

  it('wherever a bit was changed', async () => {
    const { size: fileBytes } = await stat(fileOf(key))
    for (const position of [0, 4, 40, 70, SEGMENT, SEGMENT + 200, fileBytes - 1]) {
      await damage(fileOf(key), position)
      await expect(blobs.read(key), `byte ${position}`).rejects.toMatchObject({
        code: 'INTERNAL',
        detail: expect.stringContaining('damaged'),
      })
      await damage(fileOf(key), position)
    }
    expect(await blobs.read(key)).toHaveLength(size)
  })

  it('wherever it was cut, for every range', async () => {
    const { size: fileBytes } = await stat(fileOf(key))
    const header = fileBytes - size - 3 * 16
    for (const cut of [fileBytes - 1, fileBytes - 21, header + 2 * (SEGMENT + 16), header + SEGMENT + 16, header, 10, 0]) {
      await truncate(fileOf(key), cut)
      await expect(collect(blobs.get(key, { offset: 0, length: 1 })), `cut to ${cut}`).rejects.toMatchObject({ code: 'INTERNAL' })
      await expect(collect(blobs.get(key, { offset: size - 1, length: 1 })), `cut to ${cut}`).rejects.toMatchObject({ code: 'INTERNAL' })
    }
  })

  it('when it was exchanged for another blob', async () => {
    const other = await blobs.put(chunksOf(randomBytes(size)), { maxBytes })
    await copyFile(fileOf(other.key), fileOf(key))
    await expect(blobs.read(key)).rejects.toMatchObject({ code: 'INTERNAL' })
  })
})

const module = (path: string): string => JSON.stringify(new URL(`../../src/platform/${path}`, import.meta.url).pathname)

/** A process of its own that has `blobs`, the store in `directory`, and `random`, a source of so many megabytes. */
const startScript = (body: string) =>
  spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      `
      import { randomFillSync } from 'node:crypto'
      const { makeFsBlobStore } = await import(${module('blobs/fs.ts')})
      const { silentLog } = await import(${module('log.ts')})
      const blobs = makeFsBlobStore({ directory: ${JSON.stringify(directory)}, key: Buffer.alloc(32, 7), log: silentLog })
      async function* random(megabytes) {
        for (let at = 0; at < megabytes * 16; at++) yield randomFillSync(Buffer.allocUnsafe(65536))
      }
      ${body}
      `,
    ],
    { env: { PATH: process.env['PATH'] }, stdio: ['ignore', 'pipe', 'inherit'] },
  )

describe('blob store in a process of its own', () => {
  it('holds no more than a little of a large blob in memory', async () => {
    const child = startScript(`
      await blobs.put(random(10), { maxBytes: 1e9 })
      const before = process.memoryUsage.rss()
      let peak = before
      const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()) }, 5)
      const { key } = await blobs.put(random(100), { maxBytes: 1e9 })
      let bytes = 0
      for await (const chunk of blobs.get(key)) bytes += chunk.length
      clearInterval(timer)
      console.log(JSON.stringify({ growthBytes: peak - before, bytes }))
    `)
    let output = ''
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    await new Promise((resolve) => child.on('close', resolve))
    const result = JSON.parse(output) as { growthBytes: number; bytes: number }
    expect(result.bytes).toBe(100 * MEGABYTE)
    expect(result.growthBytes).toBeLessThan(40 * MEGABYTE)
  })

  it('that is killed in the middle of a put leaves no blob, and its rest is removed', async () => {
    const child = startScript(`await blobs.put(random(100000), { maxBytes: 1e12 })`)
    const uploads = join(directory, 'uploads')
    const rest = await waitFor(async () => {
      const [name] = await readdir(uploads)
      return name !== undefined && (await stat(join(uploads, name))).size > MEGABYTE && join(uploads, name)
    })
    child.kill('SIGKILL')
    await new Promise((resolve) => child.on('close', resolve))
    expect(await filesBelow(directory)).toHaveLength(1)
    const longAgo = new Date(Date.now() - 2 * 3_600_000)
    await utimes(rest, longAgo, longAgo)
    const again = makeFsBlobStore({ directory, key: storeKey, log: silentLog })
    await waitFor(async () => (await filesBelow(directory)).length === 0)
    expect((await again.put(chunksOf(Buffer.from('x')), { maxBytes })).bytes).toBe(1)
  })
})
