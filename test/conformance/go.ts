import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, readFile, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const cache = fileURLToPath(new URL('../../.cache/conformance', import.meta.url))

/** Standard output of a go command in `module`, a directory with a go.mod. Throws with go's own words. */
export const go = async (module: string, ...args: string[]): Promise<string> => {
  const env = { ...process.env, GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' }
  return (await run('go', args, { cwd: module, env, maxBuffer: 16 * 1024 * 1024 })).stdout.trim()
}

export const hasGo = (): Promise<boolean> =>
  run('go', ['version']).then(
    () => true,
    () => false,
  )

/** What `go ARGS -o FILE` makes of the sources, kept under a name that holds the hash of all that goes into it. */
export const cached = (name: string, module: string, sources: readonly string[], ...args: string[]): Promise<string> =>
  compiled((hash) => join(cache, `${name}-${hash}`), module, sources, args)

/** The same where the caller wants the file. */
export const compiled = async (
  place: (hash: string) => string,
  module: string,
  sources: readonly string[],
  args: readonly string[],
): Promise<string> => {
  const hash = createHash('sha256').update(JSON.stringify([await go(module, 'env', 'GOVERSION', 'GOOS', 'GOARCH'), args]))
  for (const source of sources) hash.update(await readFile(join(module, source)))
  const file = place(hash.digest('hex').slice(0, 16))
  const isThere = await access(file).then(
    () => true,
    () => false,
  )
  if (isThere) return file
  await mkdir(dirname(file), { recursive: true })
  console.log(`Compiling ${basename(file)}, which takes some minutes the first time.`)
  const [command = '', ...rest] = args
  const partial = `${file}.${process.pid}`
  await go(module, command, '-o', partial, ...rest)
  await rename(partial, file)
  return file
}
