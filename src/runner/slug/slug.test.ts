import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { create, Header } from 'tar'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RunnerError } from '../runner.ts'
import { extractSlug } from './extract-slug.ts'
import { slugLimits } from './limits.ts'
import { makeTree } from './make-tree.ts'
import { scanSlug } from './scan-slug.ts'

type Piece = { path: string; type?: string; body?: string | Buffer; link?: string; mode?: number; size?: number; mtime?: Date }

const padded = (data: Buffer): Buffer => Buffer.concat([data, Buffer.alloc((512 - (data.length % 512)) % 512)])

const rawEntry = ({ path, type = '0', body = '', link, mode = 0o644, size, mtime = new Date(0) }: Piece): Buffer => {
  const data = Buffer.from(body)
  const header = Buffer.alloc(512)
  new Header({ path, mode, size: size ?? data.length, mtime, ...(link === undefined ? {} : { linkpath: link }) }).encode(header)
  header[156] = type.charCodeAt(0)
  header.fill(0x20, 148, 156)
  let sum = 0
  for (const byte of header) sum += byte
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return Buffer.concat([header, padded(data)])
}

const paxRecord = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`
  let length = Buffer.byteLength(rest)
  for (let digits = String(length).length; String(length + digits).length !== digits;) digits += 1
  length += String(length + String(length).length).length
  return `${length}${rest}`
}

const pax = (records: Record<string, string>): Buffer =>
  rawEntry({
    path: 'PaxHeader',
    type: 'x',
    body: Object.entries(records)
      .map(([key, value]) => paxRecord(key, value))
      .join(''),
  })

const END = Buffer.alloc(1024)
const archive = (...pieces: (Piece | Buffer)[]): Buffer =>
  gzipSync(Buffer.concat([...pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : rawEntry(piece))), END]), { level: 1 })

async function* chunks(data: Buffer, bytes = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < data.length; at += bytes) yield data.subarray(at, at + bytes)
}

const failure = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof RunnerError ? `${error.code}: ${error.message}` : `untyped: ${String(error)}`),
  )

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'slug-'))
  await mkdir(join(root, 'into'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})
const into = (): string => join(root, 'into')

const small = { ...slugLimits, entries: 20, fileBytes: 1000, unpackedBytes: 50_000, compressedBytes: 2000 }
const zeros = rawEntry({ path: 'z', body: Buffer.alloc(20 * 1024 * 1024) })
const good = archive({ path: 'main.tf', body: 'x' })

const refused: [string, Buffer, RegExp, typeof slugLimits?][] = [
  ['parent name', archive({ path: '../x' }), /BAD_SLUG: .*"\.\.\/x" has "\.\."/],
  ['parent name inside', archive({ path: 'a/../../x' }), /BAD_SLUG: .*"\.\."/],
  ['backslash', archive({ path: 'a\\..\\x' }), /BAD_SLUG: .*backslash/],
  ['drive letter', archive({ path: 'C:x' }), /BAD_SLUG: .*drive letter/],
  ['control character', archive({ path: 'a\nb' }), /BAD_SLUG: .*control character/],
  ['NUL in a pax path', archive(pax({ path: 'a\0b' }), { path: 'x' }), /BAD_SLUG: .*NUL/],
  ['newline in a pax path', archive(pax({ path: 'a\nb' }), { path: 'x' }), /BAD_SLUG: .*control character/],
  ['name that is not UTF-8', archive(Buffer.concat([rawEntry({ path: 'x' })].map(latin1Name))), /BAD_SLUG: .*UTF-8/],
  ['absolute link', archive({ path: 'l', type: '2', link: '/etc/passwd' }), /BAD_SLUG: .*absolute/],
  ['link outside', archive({ path: 'd/l', type: '2', link: '../../x' }), /BAD_SLUG: .*leaves the archive/],
  [
    'link outside through a link',
    archive({ path: 'd/e/up', type: '2', link: '../..' }, { path: 'd/e/l', type: '2', link: 'up/../x' }),
    /BAD_SLUG: .*"d\/e\/l" is a symbolic link that leaves/,
  ],
  ['link without target', archive({ path: 'l', type: '2' }), /BAD_SLUG: .*without a usable target/],
  [
    'entry below a link',
    archive({ path: 'd/' }, { path: 'l', type: '2', link: 'd' }, { path: 'l/x' }),
    /BAD_SLUG: .*below a symbolic link/,
  ],
  ['entry below a file', archive({ path: 'd' }, { path: 'd/x' }), /BAD_SLUG: .*below a file/],
  [
    'directory replaced by a link',
    archive({ path: 'd/x' }, { path: 'd', type: '2', link: 'e' }),
    /BAD_SLUG: .*replaces a directory by a link/,
  ],
  ['file over link', archive({ path: 'l', type: '2', link: 'x' }, { path: 'l' }), /BAD_SLUG: .*replaces a link by a file/],
  ['link over link', archive({ path: 'l', type: '2', link: 'x' }, { path: 'l', type: '2', link: 'y' }), /BAD_SLUG: .*replaces/],
  ['hard link', archive({ path: 'h', type: '1', link: 'main.tf' }), /BAD_SLUG: .*type Link/],
  ['character device', archive({ path: 'c', type: '3' }), /BAD_SLUG: .*CharacterDevice/],
  ['block device', archive({ path: 'c', type: '4' }), /BAD_SLUG: .*BlockDevice/],
  ['FIFO', archive({ path: 'c', type: '6' }), /BAD_SLUG: .*FIFO/],
  ['GNU sparse', archive({ path: 'c', type: 'S' }), /BAD_SLUG: .*SparseFile/],
  ['pax sparse', archive(pax({ 'GNU.sparse.major': '1' }), { path: 'c' }), /BAD_SLUG: .*sparse/],
  ['multivolume', archive({ path: 'c', type: 'M' }), /BAD_SLUG: .*ContinuationFile/],
  ['unknown type', archive({ path: 'c', type: 'Z' }), /BAD_SLUG: .*Unsupported/],
  ['no name', archive({ path: './.' }), /BAD_SLUG: .*no name/],
  ['long path', archive(pax({ path: `${'y'.repeat(204)}/`.repeat(6) }), { path: 'x' }), /BAD_SLUG: .*1024 bytes/],
  ['long component', archive(pax({ path: 'y'.repeat(256) }), { path: 'x' }), /BAD_SLUG: .*255 bytes/],
  ['depth', archive(pax({ path: 'a/'.repeat(64) + 'x' }), { path: 'x' }), /BAD_SLUG: .*64 directories/],
  ['entries', archive(...Array.from({ length: 21 }, (_, at) => ({ path: `f${at}` }))), /SLUG_TOO_LARGE: .*20 entries/, small],
  ['one file', archive({ path: 'f', body: 'x'.repeat(1001) }), /SLUG_TOO_LARGE: .*1000 bytes/, small],
  ['unpacked', archive({ path: 'f', body: 'x'.repeat(60_000) }), /SLUG_TOO_LARGE: .*50000 bytes/, { ...small, fileBytes: 1e9 }],
  [
    'compressed',
    gzipSync(Buffer.concat([rawEntry({ path: 'f', body: 'x'.repeat(3000) }), END]), { level: 0 }),
    /SLUG_TOO_LARGE: .*2000 bytes/,
    { ...small, fileBytes: 1e9 },
  ],
  ['ratio', archive(zeros), /SLUG_TOO_LARGE: .*200 times/],
  ['garbage after gzip', Buffer.concat([good, Buffer.from('garbage')]), /BAD_SLUG: .*gzip/],
  ['zeros after gzip', Buffer.concat([good, Buffer.alloc(20)]), /BAD_SLUG: .*after the end/],
  ['cut gzip', good.subarray(0, -6), /BAD_SLUG: .*gzip/],
  ['bad CRC', Buffer.from(good.map((byte, at) => (at === good.length - 6 ? byte ^ 1 : byte))), /BAD_SLUG: .*gzip/],
  ['not gzip', Buffer.from('PK\u0003\u0004 not a tar.gz'), /BAD_SLUG: .*gzip/],
  ['gzip in gzip', gzipSync(good), /BAD_SLUG/],
  ['nothing', Buffer.alloc(0), /BAD_SLUG: .*gzip/],
  ['checksum', gzipSync(Buffer.concat([rawEntry({ path: 'x' }).fill(0x39, 100, 103), END])), /BAD_SLUG: .*checksum/],
  ['cut tar', gzipSync(rawEntry({ path: 'x', body: 'hello' }).subarray(0, 600)), /BAD_SLUG: .*middle of an entry/],
  ['data between end marks', gzipSync(Buffer.concat([Buffer.alloc(512), rawEntry({ path: 'x' }), END])), /BAD_SLUG: .*end marks/],
  ['large pax header', archive(rawEntry({ path: 'P', type: 'x', body: 'x'.repeat(1024 * 1024 + 1) })), /BAD_SLUG: .*extended header/],
  ['large GNU name', archive(rawEntry({ path: 'L', type: 'L', body: 'x'.repeat(1024 * 1024 + 1) })), /BAD_SLUG: .*extended header/],
  ['malformed pax record', archive(rawEntry({ path: 'P', type: 'x', body: '99 path=x\n' }), { path: 'x' }), /BAD_SLUG: .*pax header/],
  ['pax size overflow', archive(pax({ size: '99999999999999999999' }), { path: 'x' }), /BAD_SLUG: .*size/],
]

function latin1Name(entry: Buffer): Buffer {
  const copy = Buffer.from(entry)
  copy[0] = 0xe9
  copy.fill(0x20, 148, 156)
  let sum = 0
  for (const byte of copy.subarray(0, 512)) sum += byte
  copy.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return copy
}

describe('a hostile archive', () => {
  it.each(refused)('R002: is refused by scan and by extraction: %s', async (_name, data, expected, limits = slugLimits) => {
    expect(await failure(scanSlug(chunks(data), limits))).toMatch(expected)
    expect(await failure(extractSlug(chunks(data), into(), { limits }))).toMatch(expected)
    expect(await readdir(root)).toEqual(['into'])
  })

  it('keeps the error of its source', async () => {
    const broken = async function* (): AsyncGenerator<Buffer> {
      yield good.subarray(0, 10)
      throw new Error('disk read failed')
    }
    await expect(scanSlug(broken())).rejects.toThrow('disk read failed')
  })

  it('does not keep the scanner busy with a tangle of links', async () => {
    const tree = makeTree({ linksInside: true })
    const hop = Array.from({ length: 500 }, () => 'a').join('/')
    for (let at = 0; at < 5000; at++) tree.add(`l${at}`, { type: 'link', linkTarget: `${hop}/../l${(at + 1) % 5000}` })
    const startedAt = performance.now()
    expect(() => tree.finish()).toThrow(/too many symbolic links/)
    expect(performance.now() - startedAt).toBeLessThan(3000)
  })

  it('is refused for a case collision only where case does not matter', () => {
    const add = (platform: NodeJS.Platform) => {
      const tree = makeTree({ linksInside: true }, platform)
      tree.add('Main.tf', { type: 'file', linkTarget: '' })
      tree.add('main.tf', { type: 'file', linkTarget: '' })
      return tree.finish()
    }
    expect(add('linux')).toEqual(['"main.tf" and "Main.tf" differ only in case.'])
    expect(() => add('darwin')).toThrow(/same name/)
  })
})

describe('an honest archive', () => {
  it('is extracted with masked modes, links as they are and the later of two files', async () => {
    const data = archive(
      { path: './', type: '5' },
      { path: '/abs/main.tf', body: 'absolute' },
      { path: './twice', body: 'first' },
      { path: 'twice', body: 'second' },
      { path: 'suid', mode: 0o6755, body: 'x' },
      { path: 'readonly/', type: '5', mode: 0o500 },
      { path: 'readonly/f', mode: 0o400 },
      { path: 'link', type: '2', link: 'abs/main.tf' },
      { path: 'abs/loop', type: '2', link: '../abs/loop' },
      { path: 'dangling', type: '2', link: 'nowhere/at/all' },
      { path: '._main.tf', body: 'fork' },
      { path: 'old', mtime: new Date(-5000) },
      rawEntry({ path: 'g', type: 'g', body: paxRecord('path', 'evil') + paxRecord('comment', 'c') }),
      pax({ path: `${'ü'.repeat(100)}/é.tf` }),
      { path: 'x', body: 'unicode' },
      rawEntry({ path: 'L', type: 'L', body: `gnu/${'n'.repeat(120)}\0` }),
      { path: 'cut', body: 'gnu' },
    )
    const stats = await scanSlug(chunks(data, 7))
    expect(stats).toMatchObject({ files: 8, entries: 14, warnings: [] })
    await extractSlug(chunks(data, 1000), into())
    expect(await readFile(join(into(), 'abs/main.tf'), 'utf8')).toBe('absolute')
    expect(await readFile(join(into(), 'link'), 'utf8')).toBe('absolute')
    expect(await readFile(join(into(), 'twice'), 'utf8')).toBe('second')
    expect(await readFile(join(into(), `${'ü'.repeat(100)}/é.tf`), 'utf8')).toBe('unicode')
    expect(await readFile(join(into(), `gnu/${'n'.repeat(120)}`), 'utf8')).toBe('gnu')
    expect(await readlink(join(into(), 'dangling'))).toBe('nowhere/at/all')
    expect((await lstat(join(into(), 'suid'))).mode & 0o7777).toBe(0o755)
    expect((await lstat(join(into(), 'readonly'))).mode & 0o7777).toBe(0o755)
    expect((await lstat(join(into(), 'readonly/f'))).mode & 0o7777).toBe(0o644)
    expect((await lstat(join(into(), 'old'))).mtimeMs).toBe(0)
    expect(await readdir(into())).not.toContain('._main.tf')
  })

  it('may consist of several gzip members and may come from the tar library', async () => {
    await mkdir(join(root, 'src/modules/m'), { recursive: true })
    await writeFile(join(root, 'src/main.tf'), 'resource')
    await writeFile(join(root, 'src/modules/m/ünï.tf'), 'module')
    const packed = await create({ gzip: false, cwd: join(root, 'src') }, ['.']).concat()
    const data = Buffer.concat([gzipSync(packed.subarray(0, 700)), gzipSync(packed.subarray(700))])
    expect(await scanSlug(chunks(data))).toMatchObject({ files: 2 })
    await extractSlug(chunks(data), into())
    expect(await readFile(join(into(), 'modules/m/ünï.tf'), 'utf8')).toBe('module')
  })

  it('may link to anywhere when it is our own snapshot', async () => {
    const data = archive({ path: 'l', type: '2', link: '/usr/share/x' }, { path: 'm', type: '2', link: '../../y' })
    await extractSlug(chunks(data), into(), { limits: { ...slugLimits, linksInside: false } })
    expect(await readlink(join(into(), 'l'))).toBe('/usr/share/x')
  })
})

describe('any mutation of an archive', () => {
  it('gives a typed error or stays inside the directory', async () => {
    const seed = Buffer.concat([
      rawEntry({ path: 'main.tf', body: 'resource "a" "b" {}' }),
      rawEntry({ path: 'd/', type: '5' }),
      rawEntry({ path: 'd/l', type: '2', link: '../main.tf' }),
      pax({ path: 'd/é', size: '5' }),
      rawEntry({ path: 'x', body: 'hello' }),
      END,
    ])
    let round = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(seed.length - 1), fc.constantFrom(0, 0x2e, 0x2f, 0x31, 0x32, 0x35, 0x5c, 0x78, 0xff), fc.boolean()), {
          minLength: 1,
          maxLength: 6,
        }),
        async (edits) => {
          const data = Buffer.from(seed)
          for (const [at, byte] of edits) data[at] = byte
          // Half of the rounds repair the checksums, so that mutations get past them.
          if (edits[0]?.[2] === true) repairChecksums(data)
          const target = join(root, `r${round++}`)
          await mkdir(target)
          const scanned = await failure(scanSlug(chunks(gzipSync(data, { level: 1 }))))
          expect(scanned).not.toMatch(/^untyped/)
          const extracted = await failure(extractSlug(chunks(gzipSync(data, { level: 1 })), target))
          expect(extracted === 'accepted' || /^(BAD_SLUG|SLUG_TOO_LARGE)/.test(extracted)).toBe(true)
          await rm(target, { recursive: true })
          expect((await readdir(root)).sort()).toEqual(['into'])
        },
      ),
      { numRuns: 400 },
    )
  })
})

const repairChecksums = (data: Buffer): void => {
  for (let at = 0; at + 512 <= data.length; at += 512) {
    const block = data.subarray(at, at + 512)
    if (block.subarray(257, 262).toString() !== 'ustar') continue
    block.fill(0x20, 148, 156)
    let sum = 0
    for (const byte of block) sum += byte
    block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  }
}
