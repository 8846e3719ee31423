/** How many of the first bytes are whole UTF-8 characters: a log grows by bytes, and a character may come in two parts. */
export const wholeCharacters = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes.length
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return back < length ? bytes.length - back : bytes.length
  }
  return bytes.length
}
