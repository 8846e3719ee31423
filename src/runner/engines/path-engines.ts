import { execFile } from 'node:child_process'
import { access, constants, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { errorMessage } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { fileIdentity } from '../file-identity.ts'

/** `file`: identity of the file that told the version. */
export type PathEngine = { path: string; version: string; file: string }

const run = promisify(execFile)
const versionSchema = z.object({ terraform_version: z.string() })
const probeTimeoutMs = 10_000

/** Finds the executables named `terraform` in the directories of `searchPath` (form of PATH) and asks each once for its version. */
export const makePathEngines = ({ searchPath, log }: { searchPath: string; log: Log }) => {
  const probes = new Map<string, Promise<string | undefined>>()

  const probe = async (path: string): Promise<string | undefined> => {
    try {
      const { stdout } = await run(path, ['version', '-json'], {
        // From nothing: a CLI configuration or a plugin directory of the operator must not decide what we see.
        env: { PATH: searchPath, HOME: '/nonexistent', CHECKPOINT_DISABLE: '1', TF_CLI_CONFIG_FILE: '/dev/null' },
        cwd: '/',
        timeout: probeTimeoutMs,
        killSignal: 'SIGKILL',
      })
      return versionSchema.parse(JSON.parse(stdout)).terraform_version
    } catch (error) {
      log.warn({ path, error: errorMessage(error) }, 'terraform on PATH does not tell its version and is not used')
      return undefined
    }
  }

  const examine = async (path: string): Promise<PathEngine | undefined> => {
    const file = await stat(path, { bigint: true }).catch(() => undefined)
    const isExecutable =
      file?.isFile() === true &&
      (await access(path, constants.X_OK).then(
        () => true,
        () => false,
      ))
    if (file === undefined || !isExecutable) return undefined
    const identity = fileIdentity(file)
    const key = `${path} ${identity}`
    const known = probes.get(key) ?? probe(path)
    probes.set(key, known)
    const version = await known
    return version === undefined ? undefined : { path, version, file: identity }
  }

  return {
    /** In the order of the search path. Looks again each time, since an operator may upgrade a binary in place. */
    list: async (): Promise<PathEngine[]> => {
      const directories = new Set(searchPath.split(delimiter).filter((directory) => isAbsolute(directory)))
      const found = await Promise.all([...directories].map((directory) => examine(join(directory, 'terraform'))))
      return found.filter((engine) => engine !== undefined)
    },
  }
}
