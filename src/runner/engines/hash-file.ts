import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** sha256 of a file, lower-case hex. */
export const hashFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
