import { chmod, cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildClient } from './build-client.ts'
import { type ClientTest, readClientTests } from './client-tests.ts'
import { hasGo } from './go.ts'
import { makeProviderMirror } from './make-provider-mirror.ts'

/** What the tests of a mode work with; undefined where Go is absent. `fixtures`: a copy, as one of the tests writes an archive into it. */
export type Suite = { binary: string; workingDirectory: string; cliConfigFile: string; tests: ClientTest[] }

declare module 'vitest' {
  interface ProvidedContext {
    suite: Suite | undefined
  }
}

/** Vitest's global set-up: compiles the client's tests and the providers, which takes a minute or two the first time. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  if (!(await hasGo())) {
    if (process.env['TERRANE_TEST_REQUIRE'] === 'all') throw new Error('TERRANE_TEST_REQUIRE=all, but this machine lacks: Go')
    project.provide('suite', undefined)
    return async () => console.log('Absent here, so not tested: Go.')
  }
  const { directory, version, binary } = await buildClient()
  console.log(`go-tfe ${version}`)
  const temporary = await mkdtemp(join(tmpdir(), 'terrane-conformance-'))
  // As root the engines run as other users.
  await chmod(temporary, 0o755)
  const fixtures = join(temporary, 'test-fixtures')
  await cp(join(directory, 'test-fixtures'), fixtures, { recursive: true, preserveTimestamps: true })
  await makeWritable(fixtures)
  project.provide('suite', {
    binary,
    workingDirectory: temporary,
    cliConfigFile: await makeProviderMirror(join(temporary, 'mirror')),
    tests: await readClientTests(directory),
  })
  return () => rm(temporary, { recursive: true, force: true })
}

/** The module cache of Go is read-only. */
const makeWritable = async (directory: string): Promise<void> => {
  await chmod(directory, 0o755)
  for (const entry of await readdir(directory, { withFileTypes: true }))
    if (entry.isDirectory()) await makeWritable(join(directory, entry.name))
}
