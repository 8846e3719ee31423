import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A directory for the running test, removed after it. */
export const tempDir = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'terrane-test-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}
