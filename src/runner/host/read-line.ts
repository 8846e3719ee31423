import type { Readable } from 'node:stream'

/**
 * The first line of `input` without its end, or undefined when the input ends before one. What follows stays in the stream. Throws RangeError
 * beyond `limitBytes`.
 */
export const readLine = async (input: Readable, limitBytes: number): Promise<string | undefined> => {
  const chunks: Buffer[] = []
  let bytes = 0
  const data: AsyncIterable<Buffer> = input.iterator({ destroyOnReturn: false })
  for await (const chunk of data) {
    const end = chunk.indexOf('\n')
    chunks.push(end < 0 ? chunk : chunk.subarray(0, end))
    bytes += chunk.length
    if (bytes > limitBytes) throw new RangeError(`the line is longer than ${limitBytes} bytes`)
    if (end < 0) continue
    const rest = chunk.subarray(end + 1)
    if (rest.length > 0) input.unshift(rest)
    return Buffer.concat(chunks).toString()
  }
  return undefined
}
