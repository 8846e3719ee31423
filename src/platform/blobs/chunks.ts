/** What is in memory already, as a source of bytes. */
export async function* chunks(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}
