import { badSlug } from './refuse.ts'

export type PaxRecords = { path?: string; linkpath?: string; size?: number }

/**
 * Records of a pax extended header (POSIX.1-2008, pax, "Extended Header"): `LENGTH KEY=VALUE\n`, LENGTH in bytes of the
 * whole record. The parser of the tar library splits at line ends and drops what it cannot read, which makes two readers
 * disagree about a name; here anything odd throws RunnerError `BAD_SLUG`.
 */
export const parsePax = (block: Buffer): PaxRecords => {
  const records: PaxRecords = {}
  for (let at = 0; at < block.length;) {
    const space = block.indexOf(0x20, at)
    const length = space === -1 ? Number.NaN : decimal(block.toString('latin1', at, space))
    const end = at + length
    if (!(end <= block.length) || end <= space + 2 || block[end - 1] !== 0x0a) throw badSlug('has a malformed pax header')
    const record = block.toString('utf8', space + 1, end - 1)
    const equals = record.indexOf('=')
    if (equals < 1) throw badSlug('has a malformed pax header')
    keep(records, record.slice(0, equals), record.slice(equals + 1))
    at = end
  }
  return records
}

const keep = (records: PaxRecords, key: string, value: string): void => {
  if (key.startsWith('GNU.sparse.')) throw badSlug('has a sparse file, which is not supported')
  if (key === 'path' || key === 'linkpath') {
    if (value.includes('\0')) throw badSlug(`has a NUL character in the pax header "${key}"`)
    records[key] = value
  }
  if (key === 'size') {
    const size = decimal(value)
    if (!Number.isSafeInteger(size)) throw badSlug('has a malformed size in a pax header')
    records.size = size
  }
}

const decimal = (text: string): number => (/^\d{1,16}$/.test(text) ? Number(text) : Number.NaN)
