import { access, readdir } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../src/platform/clock.ts'
import { silentLog } from '../../src/platform/log.ts'
import { makeEngineStore } from '../../src/runner/engines/engine-store.ts'
import { hashicorpKeys } from '../../src/runner/engines/hashicorp-key.ts'

type Requirement = 'terraform' | 'PostgreSQL' | 'root' | 'sshd'

const variable = 'TERRANE_TEST_ABSENT'
const terraformVersion = '1.11.4'
/** OpenSSH insists on being started by its whole path. */
export const sshdPath = '/usr/sbin/sshd'

/** For `describe.skipIf`: what this machine does not have. With TERRANE_TEST_REQUIRE=all the run does not even begin without it. */
export const isAbsent = (name: Requirement): boolean => (process.env[variable] ?? '').split(',').includes(name)

/** Vitest's global set-up: looks for what tests use beyond Node.js, and names at the very end what was absent. */
export const setup = async (): Promise<() => void> => {
  const found: Record<Requirement, boolean> = {
    terraform: await haveTerraform(),
    PostgreSQL: process.env['TERRANE_TEST_DATABASE_URL'] !== undefined || (await findsInitdb()),
    root: process.getuid?.() === 0,
    sshd: (await isOnPath('git')) && (await isOnPath('ssh')) && (await isThere(sshdPath)),
  }
  const absent = Object.entries(found).flatMap(([name, isThere]) => (isThere ? [] : [name]))
  if (process.env['TERRANE_TEST_REQUIRE'] === 'all' && absent.length > 0)
    throw new Error(`TERRANE_TEST_REQUIRE=all, but this machine lacks: ${absent.join(', ')}`)
  process.env[variable] = absent.join(',')
  const line = absent.length === 0 ? 'Nothing is absent that the tests could use.' : `Absent here, so not tested: ${absent.join(', ')}.`
  return () => console.log(line)
}

const searchPath = (): string[] => (process.env['PATH'] ?? '').split(delimiter)

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

const isOnPath = async (name: string): Promise<boolean> =>
  (await Promise.all(searchPath().map((folder) => isThere(join(folder, name))))).includes(true)

/** Fetched and verified as a server would do it when it is not on PATH, and put there for the tests. */
const haveTerraform = async (): Promise<boolean> => {
  if (await isOnPath('terraform')) return true
  const store = makeEngineStore({
    directory: fileURLToPath(new URL('../../.cache/engines', import.meta.url)),
    engine: 'terraform',
    releases: { trustedKeys: hashicorpKeys },
    searchPath: '',
    log: silentLog,
    clock: systemClock,
  })
  const engine = await store.locate(terraformVersion).catch(() => undefined)
  if (engine === undefined) return false
  process.env['PATH'] = [dirname(engine.path), ...searchPath()].join(delimiter)
  return true
}

/** As scripts/with-postgres.sh does. */
const findsInitdb = async (): Promise<boolean> => {
  const folder = '/usr/lib/postgresql'
  const versions = await readdir(folder).catch(() => [])
  const found = await Promise.all([isOnPath('initdb'), ...versions.map((version) => isThere(join(folder, version, 'bin/initdb')))])
  return found.includes(true)
}
