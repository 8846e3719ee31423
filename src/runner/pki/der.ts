/** DER of the types that certificates are made of (ITU-T X.690); contents may be up to 64 KiB. What others made is read by OpenSSL, not here. */
export const der = {
  sequence: (...parts: Uint8Array[]): Buffer => tagged(0x30, ...parts),
  set: (...parts: Uint8Array[]): Buffer => tagged(0x31, ...parts),
  true: Buffer.from([0x01, 0x01, 0xff]),
  /** Of a number that is not negative, its bytes with the highest first. */
  integer: (bytes: Uint8Array): Buffer => {
    const first = bytes.findIndex((byte) => byte !== 0)
    const digits = bytes.subarray(first === -1 ? bytes.length : first)
    // A leading bit of 1 would make it negative; zero has one byte.
    return tagged(0x02, Buffer.alloc((digits[0] ?? 0x80) >= 0x80 ? 1 : 0), digits)
  },
  /** `unused`: bits at the end that do not count. */
  bitString: (bytes: Uint8Array, unused = 0): Buffer => tagged(0x03, Buffer.from([unused]), bytes),
  octetString: (bytes: Uint8Array): Buffer => tagged(0x04, bytes),
  utf8String: (text: string): Buffer => tagged(0x0c, Buffer.from(text)),
  /** In dotted form. */
  oid: (text: string): Buffer => {
    const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
    return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
  },
  /** Whole seconds, in the form that RFC 5280 (4.1.2.5) wants for the year. */
  time: (at: Date): Buffer => {
    const text = `${at.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`
    return at.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text))
  },
  /** [number] around whole values. */
  explicit: (number: number, ...parts: Uint8Array[]): Buffer => tagged(0xa0 | number, ...parts),
  /** [number] in the place of the tag of a primitive value. */
  implicit: (number: number, contents: Uint8Array): Buffer => tagged(0x80 | number, contents),
}

const tagged = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (length > 0xffff) throw new RangeError(`${length} bytes are more than a certificate may hold`)
  const header = length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(header), ...parts])
}

const base128 = (value: number): number[] => {
  const digits = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

/** The values inside a constructed one, each whole with its tag. For certificates of our own: other input may throw, or answer nonsense. */
export const valuesIn = (value: Buffer): Buffer[] => {
  const values: Buffer[] = []
  for (let at = headerBytes(value); at < value.length;) {
    const rest = value.subarray(at)
    const whole = rest.subarray(0, headerBytes(rest) + contentBytes(rest))
    values.push(whole)
    at += whole.length
  }
  return values
}

const headerBytes = (value: Buffer): number => (value.readUInt8(1) < 0x80 ? 2 : value.readUInt8(1) === 0x81 ? 3 : 4)

const contentBytes = (value: Buffer): number => {
  const first = value.readUInt8(1)
  return first < 0x80 ? first : first === 0x81 ? value.readUInt8(2) : value.readUInt16BE(2)
}
