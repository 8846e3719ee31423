const MAX_LINE_BYTES = 4 * 1024 * 1024

export type LineReader = { write(bytes: Buffer): void; end(): void }

/** Calls `onLine` with every line of a byte stream, without its end. Lines over 4 MiB are left out: nothing we look for is that long. */
export const readLines = (onLine: (line: string) => void): LineReader => {
  let pieces: Buffer[] = []
  let bytes = 0
  const flush = (): void => {
    if (bytes > 0 && bytes <= MAX_LINE_BYTES) onLine(Buffer.concat(pieces).toString('utf8'))
    pieces = []
    bytes = 0
  }
  const keep = (piece: Buffer): void => {
    bytes += piece.length
    if (bytes > MAX_LINE_BYTES) pieces = []
    else pieces.push(piece)
  }
  return {
    write(chunk) {
      let from = 0
      for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
        keep(chunk.subarray(from, end))
        flush()
        from = end + 1
      }
      if (from < chunk.length) keep(chunk.subarray(from))
    },
    end: flush,
  }
}
