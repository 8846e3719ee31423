import { constants } from 'node:fs'
import { type FileHandle, open, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { runPaths } from '../worker/run-directory.ts'
import { parseState } from '../worker/state/parse-state.ts'

const LIMIT_BYTES = 512 * 1024 * 1024
/** A hostile tree must not keep us searching. */
const MAX_ENTRIES = 20_000

type Found = { bytes: Buffer; lineage: string; serial: number }

/**
 * The newest complete state in the directory of a run that has ended: the engine's own file, what the worker journaled of it (a
 * kill may have cut the former short), or an errored.tfstate below work/, which the engine writes when it cannot write its file.
 * The highest serial wins among those of the lineage found first. The directory belongs to the tenant: links, special files and
 * files of users other than `owners` are passed over.
 */
export const recoverState = async (runDirectory: string, owners: readonly number[]): Promise<Buffer | undefined> => {
  const root = await realpath(runDirectory).catch(() => undefined)
  if (root === undefined) return undefined
  let best: Found | undefined
  for await (const path of candidates(root)) {
    const found = await readState(path, owners)
    if (found && (!best || (found.lineage === best.lineage && found.serial > best.serial))) best = found
  }
  return best?.bytes
}

async function* candidates(root: string): AsyncGenerator<string> {
  const paths = runPaths(root)
  yield paths.stateFile
  for (const name of await readdir(paths.journal).catch(() => [])) if (name.endsWith('.tfstate')) yield join(paths.journal, name)
  yield* erroredStates(paths.work)
}

const readState = async (path: string, owners: readonly number[]): Promise<Found | undefined> => {
  let file: FileHandle | undefined
  try {
    if ((await realpath(path)) !== path) return undefined
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const info = await file.stat()
    if (!info.isFile() || info.nlink !== 1 || !owners.includes(info.uid) || info.size > LIMIT_BYTES) return undefined
    const bytes = await file.readFile()
    const identity = parseState(bytes.toString())
    return identity && { bytes, ...identity }
  } catch {
    return undefined
  } finally {
    await file?.close()
  }
}

async function* erroredStates(root: string): AsyncGenerator<string> {
  const directories = [root]
  let entries = 0
  for (let directory = directories.shift(); directory !== undefined; directory = directories.shift()) {
    for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
      if (++entries > MAX_ENTRIES) return
      const path = join(directory, entry.name)
      if (entry.isDirectory() && entry.name !== '.terraform') directories.push(path)
      if (entry.isFile() && entry.name === 'errored.tfstate') yield path
    }
  }
}
