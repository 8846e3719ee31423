import { isAbsolute } from 'node:path'
import { executableAt, fileIdentity } from '../../file-identity.ts'
import { ErrorCode } from '../../gen/runner/v1/runner.ts'
import { runEngine } from '../engine/run-engine.ts'
import type { Session } from '../session.ts'
import { withoutUserArguments } from '../setup/build-environment.ts'
import { StepError } from '../step-error.ts'

const MAX_BYTES = 64 * 1024

type Expected = { enginePath: string; engineVersion: string; engineFile: string }

/**
 * Asks the engine for its version, unless the controller has asked this very file. Throws StepError `ENGINE_UNAVAILABLE` unless it can be run
 * and is the one expected.
 */
export const verifyEngine = async (
  session: Session,
  { enginePath: path, engineVersion: version, engineFile }: Expected,
  environment: Record<string, string>,
): Promise<void> => {
  const unavailable = (why: string): StepError =>
    new StepError(ErrorCode.ENGINE_UNAVAILABLE, `The engine ${version} cannot be used: ${why}.`)
  if (!isAbsolute(path)) throw unavailable('its path is not absolute')
  const file = executableAt(path)
  if (file === undefined) throw unavailable('it is not installed on this runner')
  if (file.isFile() && fileIdentity(file) === engineFile) return
  let stdout = ''
  let stderr = ''
  const exit = await runEngine(session, {
    path,
    args: ['version', '-json'],
    directory: session.paths.tmp,
    environment: withoutUserArguments(environment),
    stdout: async (bytes) => void (stdout = `${stdout}${bytes.toString('utf8')}`.slice(0, MAX_BYTES)),
    stderr: async (bytes) => void (stderr = `${stderr}${bytes.toString('utf8')}`.slice(0, 500)),
  })
  if (exit.exitCode !== 0)
    throw unavailable(`it ended with ${exit.signal === '' ? `exit code ${exit.exitCode}` : exit.signal}. ${stderr.trim()}`)
  const reported = versionIn(stdout)
  if (reported !== version) throw unavailable(`it says that it is ${reported ?? 'something else'}`)
}

const versionIn = (text: string): string | undefined => {
  try {
    const { terraform_version: version } = JSON.parse(text) as { terraform_version?: unknown }
    return typeof version === 'string' ? version : undefined
  } catch {
    return undefined
  }
}
