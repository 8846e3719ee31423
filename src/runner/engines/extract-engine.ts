import { createWriteStream } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { openPromise, type Entry } from 'yauzl'
import { syncPath } from './sync-path.ts'

const symlinkType = 0o120000
const typeMask = 0o170000
const mostEntries = 1_000

/**
 * Writes the file `terraform` of a release archive to `target`, mode 0755, on disk when the promise resolves; everything else in the archive is left alone.
 * Throws Error with a reason for users when the archive is damaged, or the entry is absent, double, a link, encrypted or over `maxBytes`.
 */
export const extractEngine = async (archive: string, target: string, maxBytes: number): Promise<void> => {
  const zip = await openPromise(archive, { autoClose: false, lazyEntries: true, strictFileNames: true })
  try {
    if (zip.entryCount > mostEntries) throw new Error('the archive has too many entries')
    let engine: Entry | undefined
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== 'terraform') continue
      if (engine !== undefined) throw new Error('the archive holds two files named terraform')
      engine = entry
    }
    if (engine === undefined) throw new Error('the archive holds no file named terraform')
    if (((engine.externalFileAttributes >>> 16) & typeMask) === symlinkType) throw new Error('terraform in the archive is a symbolic link')
    if (engine.isEncrypted()) throw new Error('the archive is encrypted')
    if (engine.uncompressedSize > maxBytes) throw new Error(`terraform in the archive is larger than ${maxBytes} bytes`)
    await pipeline(await zip.openReadStreamPromise(engine), createWriteStream(target, { flags: 'wx', mode: 0o700 }))
  } finally {
    zip.close()
  }
  // Not by `mode` above, which the umask would narrow: runs use the file under another uid.
  await chmod(target, 0o755)
  await syncPath(target)
}
