import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, onTestFailed, onTestFinished } from 'vitest'
import { type Api, makeApiClient } from './api-client.ts'
import { freePort } from './free-port.ts'
import { killProcess, listProcesses } from './processes.ts'
import { createPostgresDatabase } from './postgres-database.ts'
import { waitFor } from './wait-for.ts'

export type ServerOptions = {
  args?: string[]
  env?: Record<string, string>
  isTls?: boolean
  /** Puts data in place before the first start. */
  before?: (place: { dataDir: string; databaseUrl: string | undefined }) => Promise<void>
  /** URL of the PostgreSQL server that gets a database for it. Default: TERRANE_TEST_DATABASE_URL; without one it is SQLite. */
  postgres?: string
  /** Runs on the database and the directories of this one, which is removed later. */
  beside?: TestServer
  /** Directories that are there, and are not removed with the server. Default: new ones. */
  dataDir?: string
  workDir?: string
}

/** A server of the built bundle, as a process of its own on directories and a database of its own. */
export type TestServer = {
  readonly url: string
  /** For a cloud block or backend. */
  readonly hostname: string
  readonly directory: string
  readonly dataDir: string
  readonly workDir: string
  readonly cliConfigFile: string
  /** Certificate that terraform has to trust; undefined over plain HTTP. */
  readonly caFile: string | undefined
  /** Token of the first administrator. */
  readonly adminToken: string
  readonly api: Api
  readonly databaseUrl: string | undefined
  /** Of all starts. */
  stdout(): string
  stderr(): string
  pid(): number
  /** Ends the process and waits for it; answers its exit code, null after a signal. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
  /** Starts it again on the same data and port. */
  start(): Promise<void>
  /** Ends the process and what it left running, and removes its directories and database. */
  remove(): Promise<void>
}

const READY_TIMEOUT_MS = 60_000

/** Directory of the bundle under test, set by the e2e suite. */
const bundleDirectory = (): string => {
  const directory = process.env['TERRANE_TEST_DIST']
  if (directory === undefined) throw new Error('TERRANE_TEST_DIST names no bundle: run the tests with vitest.e2e.config.ts')
  return directory
}

/** One server for all tests of a file; its log is printed when one of them fails. */
export const serverOfFile = (options: ServerOptions = {}): (() => TestServer) => {
  let server: TestServer | undefined
  beforeAll(async () => {
    server = await startServer(options)
  })
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') printLog(server)
  })
  afterAll(() => server?.remove())
  return () => {
    if (server === undefined) throw new Error('the server of this file is not there yet')
    return server
  }
}

/** A server for the running test alone. */
export const serverOfTest = async (options: ServerOptions = {}): Promise<TestServer> => {
  const server = await startServer(options)
  onTestFinished(() => server.remove())
  onTestFailed(() => printLog(server))
  return server
}

const printLog = (server: TestServer | undefined): void => {
  if (server === undefined) return
  const lines = server
    .stderr()
    .split('\n')
    .filter((line) => !/"status":[23]\d\d,.*"msg":"request"/.test(line))
  process.stderr.write(`--- log of the server, requests that succeeded left out\n${lines.slice(-100).join('\n')}\n---\n`)
}

type Place = { directory: string; dataDir: string; workDir: string; databaseUrl: string | undefined; remove(): Promise<void> }

const makePlace = async ({ postgres, ...given }: Pick<ServerOptions, 'postgres' | 'dataDir' | 'workDir'>): Promise<Place> => {
  const directory = await mkdtemp(join(tmpdir(), 'terrane-e2e-'))
  // As root the engines run as other users, which pass through to their run directories.
  await chmod(directory, 0o711)
  const { dataDir = join(directory, 'data'), workDir = join(directory, 'work') } = given
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const database = postgres === undefined ? undefined : await createPostgresDatabase(postgres)
  const remove = async (): Promise<void> => {
    await endLeftovers(workDir)
    await database?.drop()
    await rm(directory, { recursive: true, force: true })
  }
  return { directory, dataDir, workDir, databaseUrl: database?.url, remove }
}

const startServer = async ({
  args = [],
  env = {},
  isTls = false,
  before,
  postgres,
  beside,
  ...given
}: ServerOptions): Promise<TestServer> => {
  const place: Place =
    beside === undefined
      ? await makePlace({ ...given, postgres: postgres ?? process.env['TERRANE_TEST_DATABASE_URL'] })
      : { ...beside, remove: () => Promise.resolve() }
  const { directory, dataDir, workDir, databaseUrl } = place
  const port = await freePort()
  const url = isTls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`
  const command = ['server', '--data', dataDir, '--listen', `127.0.0.1:${port}`, ...(isTls ? ['--tls', 'self'] : []), ...args]
  const output = { stdout: '', stderr: '' }
  let child: ChildProcess

  const start = async (): Promise<void> => {
    const begin = output.stdout.length
    const started = spawn(process.execPath, [join(bundleDirectory(), 'terrane.js'), ...command], {
      cwd: '/',
      env: {
        PATH: process.env['PATH'],
        HOME: directory,
        TERRANE_WORK_DIR: workDir,
        ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    for (const stream of ['stdout', 'stderr'] as const) {
      started[stream].setEncoding('utf8').on('data', (text: string) => (output[stream] += text))
    }
    await waitFor(
      () => {
        if (started.exitCode !== null || started.signalCode !== null) throw new Error(`the server ended at once:\n${output.stderr}`)
        // The public URL, which `args` may set.
        return /^ready https?:\/\/\S+\n$/.test(output.stdout.slice(begin))
      },
      { timeoutMs: READY_TIMEOUT_MS, what: 'the line "ready"' },
    )
  }

  const kill = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const ended = once(child, 'exit')
    child.kill(signal)
    const [code] = (await ended) as [number | null]
    return code
  }

  await before?.({ dataDir, databaseUrl })
  await start()
  const caFile = isTls ? join(dataDir, 'ca.pem') : undefined
  const caPem = caFile === undefined ? undefined : await readFile(caFile, 'utf8')
  const adminToken = (await readFile(join(dataDir, 'admin.token'), 'utf8')).trim()
  return {
    url,
    hostname: isTls ? `localhost:${port}` : 'localhost',
    directory,
    dataDir,
    workDir,
    cliConfigFile: join(dataDir, 'terraform.rc'),
    caFile,
    adminToken,
    api: makeApiClient({
      url,
      token: adminToken,
      ...(caPem === undefined ? {} : { caPem }),
    }),
    databaseUrl,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    pid: () => child.pid ?? 0,
    kill,
    start,
    remove: async () => {
      await kill('SIGTERM')
      await place.remove()
    },
  }
}

/** A server leaves phases under way to the next one; here there is none. */
const endLeftovers = async (workDir: string): Promise<void> => {
  const isOurs = ({ cwd }: { cwd: string }): boolean => cwd.startsWith(`${workDir}/`)
  for (;;) {
    const processes = await listProcesses()
    const inRuns = processes.filter(isOurs)
    if (inRuns.length === 0) return
    const runners = processes.filter(
      ({ pid, command }) => command.includes('terrane-runner') && inRuns.some(({ parent }) => parent === pid),
    )
    for (const { pid } of [...runners, ...inRuns]) killProcess(pid)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
