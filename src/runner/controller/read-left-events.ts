import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { StepEvent } from '../gen/runner/v1/runner.ts'
import { readEvents } from '../worker/operation/read-events.ts'

/** Events of all operations of a worker that has ended, from its directory of them; none when there is no directory. */
export const readLeftEvents = async function* (operations: string): AsyncGenerator<StepEvent> {
  const names = await readdir(operations).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  // Their names begin with their number.
  for (const name of names.toSorted()) {
    const file = openSync(join(operations, name), 'r')
    try {
      yield* readEvents((bytes, position) => readSync(file, bytes, 0, bytes.length, position), 0, fstatSync(file).size)
    } finally {
      closeSync(file)
    }
  }
}
