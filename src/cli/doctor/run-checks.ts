import { execFile } from 'node:child_process'
import { access, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errorMessage } from '../../platform/errors.ts'
import { get } from '../http.ts'
import { readServerFiles } from '../server-files.ts'

/** `advice` says what to do and is there exactly when the check failed. */
export type CheckResult = { name: string; found: string; advice?: string }

type Input = { dataDir: string; env: Record<string, string | undefined>; nodeVersion: string }

const run = promisify(execFile)
const LEAST_NODE = [20, 19]
const LEAST_FREE_BYTES = 1024 ** 3

/** Everything that a first run needs, each looked at on its own. */
export const runChecks = (input: Input): Promise<CheckResult[]> =>
  Promise.all([
    checkNode(input),
    checkTerraform(input),
    checkData(input),
    checkToken(input),
    checkServer(input),
    checkCliConfig(input),
    checkDisk(input),
  ])

const checkNode = async ({ nodeVersion }: Input): Promise<CheckResult> => {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = LEAST_NODE
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor)
  return result('Node.js', nodeVersion, isEnough || `Install Node.js ${LEAST_NODE.join('.')} or later.`)
}

/** One CLI is enough; terraform is named when both are missing. */
const checkTerraform = async ({ env }: Input): Promise<CheckResult> => {
  const terraform = await askVersion('terraform', env)
  if (terraform.version !== undefined) return result('terraform', terraform.version)
  const { version } = await askVersion('tofu', env)
  if (version !== undefined) return result('tofu', version)
  return result('terraform', terraform.problem, 'Install terraform 1.1 or later, or tofu, and put it on PATH.')
}

const askVersion = async (program: string, env: Input['env']): Promise<{ version: string } | { version: undefined; problem: string }> => {
  try {
    const { stdout } = await run(program, ['version', '-json'], {
      env: { PATH: env['PATH'] ?? '', CHECKPOINT_DISABLE: '1', TF_CLI_CONFIG_FILE: '/dev/null' },
      cwd: '/',
      timeout: 10_000,
    })
    const version = /"terraform_version":\s*"([^"]+)"/.exec(stdout)?.[1]
    return version === undefined ? { version, problem: 'tells no version' } : { version }
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return { version: undefined, problem: isAbsent ? 'not on PATH' : 'does not start' }
  }
}

const checkData = async ({ dataDir }: Input): Promise<CheckResult> => {
  const name = 'data directory'
  const info = await stat(dataDir).catch(() => undefined)
  if (!info?.isDirectory())
    return result(name, `${dataDir} does not exist`, 'Start terrane server once, or name the directory with --data.')
  return result(name, dataDir, (info.mode & 0o077) === 0 || `Other users can enter it. Run: chmod 700 ${dataDir}`)
}

const checkToken = async ({ dataDir }: Input): Promise<CheckResult> => {
  const file = join(dataDir, 'admin.token')
  const info = await stat(file).catch(() => undefined)
  if (!info)
    return result('admin token', `${file} does not exist`, 'The server writes it on its first start. If you moved it, use your own token.')
  return result(
    'admin token',
    file,
    (info.mode & 0o077) === 0 || `Other users can read it. Run: chmod 600 ${file}, then replace the token.`,
  )
}

const checkServer = async ({ dataDir }: Input): Promise<CheckResult> => {
  const files = await readServerFiles(dataDir).catch(() => undefined)
  if (!files) return result('server', 'no server has run yet', `Start it: terrane server --data ${dataDir}`)
  const { url, caPem } = files
  try {
    const { status } = await get({ url: `${url}/api/v2/ping`, caPem })
    return result(
      'server',
      `${url} answers ${status}`,
      status < 300 || `Something else than terrane listens there. Stop it, or use another --listen.`,
    )
  } catch (error) {
    return result('server', `${url} does not answer (${errorMessage(error)})`, `Start it: terrane server --data ${dataDir}`)
  }
}

const checkCliConfig = async ({ env }: Input): Promise<CheckResult> => {
  const name = 'terraform configuration'
  const file = env['TF_CLI_CONFIG_FILE']
  if (!file) return result(name, 'TF_CLI_CONFIG_FILE is not set')
  const isReadable = await access(file).then(
    () => true,
    () => false,
  )
  const advice = 'terraform ignores your own files then. Unset the variable, or run: eval "$(terrane env)"'
  return result(name, `TF_CLI_CONFIG_FILE is ${file}${isReadable ? '' : ', which is not readable'}`, isReadable || advice)
}

const checkDisk = async ({ dataDir }: Input): Promise<CheckResult> => {
  const info = await statfs(dataDir).catch(() => statfs('/'))
  const freeBytes = info.bavail * info.bsize
  const found = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB free`
  return result('disk', found, freeBytes >= LEAST_FREE_BYTES || 'State needs room: free at least 1 GiB.')
}

/** `advice` true: all is well. */
const result = (name: string, found: string, advice: string | true = true): CheckResult =>
  advice === true ? { name, found } : { name, found, advice }
