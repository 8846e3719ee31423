/**
 * Content-addressed store of large things: configurations, states, plans, logs. Keys are the lower-case hex sha256 of the plain bytes.
 * Durable when `put` resolves. Encrypted at rest. Sources and results are streams: nothing is held in memory whole.
 */
export type BlobStore = {
  /** Stores the stream. Throws AppError TOO_LARGE as soon as `maxBytes` is crossed; nothing remains then. */
  put(source: AsyncIterable<Uint8Array>, options: { maxBytes: number }): Promise<StoredBlob>
  /** Bytes [offset, offset + length) of the blob; the whole by default; an empty stream past the end. Throws NOT_FOUND. */
  get(key: string, range?: { offset: number; length: number }): AsyncIterable<Buffer>
  /** The whole blob, for small things. */
  read(key: string): Promise<Buffer>
  has(key: string): Promise<boolean>
  /** Plain bytes of the blob. Throws NOT_FOUND. */
  size(key: string): Promise<number>
}

export type StoredBlob = { key: string; bytes: number; /** Lower-case hex. */ md5: string }
