import { Header } from 'tar'
import { type ByteReader, makeByteReader } from './byte-reader.ts'
import { parsePax, type PaxRecords } from './parse-pax.ts'
import { badSlug } from './refuse.ts'

/** One entry as the archive has it, nothing checked but the form. `body` is to be read before the next entry is asked for. */
export type TarEntry = {
  type: 'file' | 'directory' | 'link'
  path: string
  linkTarget: string
  bytes: number
  mode: number
  modifiedAt: Date
  body(): AsyncIterable<Buffer>
}

const BLOCK_BYTES = 512
const MAX_META_BYTES = 1024 * 1024

/**
 * Entries of an unpacked tar stream: ustar, pax and GNU long names. Kinds other than file, directory and symbolic link
 * throw RunnerError `BAD_SLUG`, as does a wrong checksum or a cut archive. Nothing is ever skipped in silence.
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const reader = makeByteReader(source)
  let meta: PaxRecords = {}
  for (;;) {
    const header = await readHeader(reader)
    if (header === undefined) break
    const own = header.typeKey
    if (own === 'g' || own === 'x' || own === 'L' || own === 'K') {
      const block = await readMeta(reader, header.size ?? 0)
      if (own === 'x') meta = { ...meta, ...parsePax(block) }
      if (own === 'L') meta = { ...meta, path: cString(block) }
      if (own === 'K') meta = { ...meta, linkpath: cString(block) }
      continue
    }
    const path = meta.path ?? header.path ?? ''
    const type = kindOf(own, path)
    if (type === undefined) throw badSlug(`is of type ${header.type}; only files, directories and symbolic links are allowed`, path)
    const bytes = type === 'file' ? (meta.size ?? header.size ?? 0) : 0
    const state = { left: bytes }
    const body = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of reader.stream(bytes)) {
        state.left -= piece.length
        yield piece
      }
    }
    yield {
      type,
      path,
      linkTarget: type === 'link' ? (meta.linkpath ?? header.linkpath ?? '') : '',
      bytes,
      mode: header.mode ?? 0,
      modifiedAt: clamped(header.mtime),
      body,
    }
    if (state.left !== 0 && state.left !== bytes) throw new Error('the body of an archive entry was read only in part')
    await skip(reader, state.left + padding(bytes))
    meta = {}
  }
  await reader.drain()
}

const readHeader = async (reader: ByteReader): Promise<Header | undefined> => {
  const block = await reader.take(BLOCK_BYTES)
  if (block === undefined) return undefined
  const header = decode(block)
  if (!header.nullBlock) return header
  const second = await reader.take(BLOCK_BYTES)
  if (second !== undefined && !decode(second).nullBlock) throw badSlug('has data between its end marks')
  return undefined
}

const decode = (block: Buffer): Header => {
  let header: Header
  try {
    header = new Header(block, 0)
  } catch (cause) {
    throw badSlug(`has a malformed header (${cause instanceof Error ? cause.message : 'unreadable'})`)
  }
  if (!header.nullBlock && !header.cksumValid) throw badSlug('has a header with a wrong checksum')
  return header
}

const kindOf = (key: string, path: string): TarEntry['type'] | undefined => {
  if (key === '5' || (key === '0' && path.endsWith('/'))) return 'directory'
  if (key === '0') return 'file'
  return key === '2' ? 'link' : undefined
}

const readMeta = async (reader: ByteReader, bytes: number): Promise<Buffer> => {
  if (bytes > MAX_META_BYTES) throw badSlug(`has an extended header of more than ${MAX_META_BYTES} bytes`)
  const pieces: Buffer[] = []
  for await (const piece of reader.stream(bytes)) pieces.push(piece)
  await skip(reader, padding(bytes))
  return Buffer.concat(pieces)
}

const skip = async (reader: ByteReader, bytes: number): Promise<void> => {
  const stream = reader.stream(bytes)
  for (let next = await stream.next(); next.done !== true;) next = await stream.next()
}

const padding = (bytes: number): number => (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES

const cString = (block: Buffer): string => {
  const end = block.indexOf(0)
  return block.toString('utf8', 0, end === -1 ? block.length : end)
}

const clamped = (at: Date | undefined): Date => {
  const time = at?.getTime() ?? 0
  return new Date(time > 0 && time < 4_102_444_800_000 ? time : 0)
}
