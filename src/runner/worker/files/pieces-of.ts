import { readSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'

const PIECE_BYTES = 256 * 1024

/** What an open file holds from where it stands. Others have their turn between two pieces. */
export const piecesOf = async function* (file: number): AsyncGenerator<Buffer> {
  for (;;) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    const bytes = readSync(file, piece)
    if (bytes === 0) return
    yield piece.subarray(0, bytes)
    if (bytes === PIECE_BYTES) await setImmediate()
  }
}
