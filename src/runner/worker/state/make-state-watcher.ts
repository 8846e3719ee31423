import { closeSync, fstatSync, readFileSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { openJobFile } from '../files/open-job-file.ts'
import type { Isolation } from '../options.ts'
import { parseState, type StateIdentity } from './parse-state.ts'

const POLL_MS = 250
/** After a half file the rest is a moment away. */
const RETRY_MS = 5
const MAX_RETRIES = 200

export type StateWatcher = {
  /** A last look at the file, and at the one the engine writes when it cannot write the first; then no more. */
  finish(): Promise<void>
}

export type WatchOptions = {
  file: string
  /** `errored.tfstate` in the working directory. */
  erroredFile: string
  isolation: Isolation | undefined
  /** The state the plan was made on; undefined when there was none. */
  baseline: StateIdentity | undefined
  onState: (state: Buffer, identity: StateIdentity) => Promise<void>
  /** A whole state of another lineage, or one with an older serial than we had: not the engine's doing. Called once. */
  onForeign: (text: string) => void
}

/** Looks at the state file of a running apply and reports every version that is whole, of the same lineage and newer. */
export const makeStateWatcher = (options: WatchOptions): StateWatcher => {
  const { file, erroredFile, isolation, baseline, onState, onForeign } = options
  let known = baseline
  let seen = ''
  let warned = false
  let ended = false
  let looking: Promise<unknown> = Promise.resolve()

  const refuse = (text: string): void => {
    if (!warned) onForeign(text)
    warned = true
  }

  const accept = async (state: Buffer, identity: StateIdentity): Promise<void> => {
    if (known !== undefined && identity.lineage !== known.lineage)
      return refuse('The state file changed its lineage during the apply; it is not taken.')
    if (known !== undefined && identity.serial < known.serial)
      return refuse('The serial of the state file went back during the apply; it is not taken.')
    if (known !== undefined && identity.serial === known.serial) return
    known = identity
    await onState(state, identity)
  }

  const look = async (): Promise<void> => {
    for (let retry = 0; retry < MAX_RETRIES; retry++) {
      const read = readWhole(file, isolation, seen)
      if (read === 'unchanged') return
      if (read !== 'torn') {
        seen = read.version
        await accept(read.state, read.identity)
        return
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  /** One look at a time; a wish during a look is fulfilled after it. */
  let wanted = false
  const wish = (): void => {
    if (wanted || ended) return
    wanted = true
    looking = looking.then(async () => {
      wanted = false
      await look()
    })
  }

  const watcher = watch(dirname(file), (_event, name) => {
    if (name === null || name === basename(file)) wish()
  })
  // The poll below finds what a broken watch misses.
  watcher.on('error', () => watcher.close())
  const poll = setInterval(wish, POLL_MS)

  return {
    async finish() {
      wish()
      ended = true
      clearInterval(poll)
      watcher.close()
      await looking
      const errored = readWhole(erroredFile, isolation, '')
      if (typeof errored === 'object' && (known === undefined || errored.identity.serial > known.serial))
        await accept(errored.state, errored.identity)
    },
  }
}

type Read = { state: Buffer; identity: StateIdentity; version: string }

const readWhole = (path: string, isolation: Isolation | undefined, seen: string): Read | 'unchanged' | 'torn' => {
  const file = openJobFile(path, isolation)
  if (file === undefined) return 'unchanged'
  try {
    const version = (): string => {
      const stats = fstatSync(file, { bigint: true })
      return `${stats.ino} ${stats.size} ${stats.mtimeNs}`
    }
    const before = version()
    if (before === seen) return 'unchanged'
    const state = readFileSync(file)
    const identity = parseState(state.toString('utf8'))
    return identity === undefined || version() !== before ? 'torn' : { state, identity, version: before }
  } catch {
    return 'torn'
  } finally {
    closeSync(file)
  }
}
