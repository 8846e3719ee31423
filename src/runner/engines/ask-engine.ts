import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const timeoutMs = 10_000

/** What the executable prints. Its environment is made from nothing: a CLI configuration or plugins of the operator must not decide what we see. */
export const askEngine = async (path: string, args: string[], searchPath: string): Promise<string> => {
  const env = { PATH: searchPath, HOME: '/nonexistent', CHECKPOINT_DISABLE: '1', TF_CLI_CONFIG_FILE: '/dev/null' }
  return (await run(path, args, { env, cwd: '/', timeout: timeoutMs, killSignal: 'SIGKILL' })).stdout
}
