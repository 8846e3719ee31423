import { execFile } from 'node:child_process'
import type { Suite } from './prepare.ts'

/** `output`: why it did not pass. */
export type Outcome = { status: 'passed' | 'failed' | 'skipped'; output: string }

/** Runs one test of the client in a process of its own, ended after `timeoutMs`. */
export const runClientTest = (suite: Suite, name: string, env: Record<string, string>, timeoutMs: number): Promise<Outcome> =>
  new Promise((resolve) => {
    const args = ['-test.v', `-test.run=^${name}$`, '-test.parallel=2', `-test.timeout=${timeoutMs}ms`]
    const options = {
      cwd: suite.workingDirectory,
      env,
      timeout: timeoutMs + 5000,
      killSignal: 'SIGKILL',
      maxBuffer: 64 * 1024 * 1024,
    } as const
    execFile(suite.binary, args, options, (error, stdout, stderr) => {
      const [, verdict] = new RegExp(`^--- (PASS|FAIL|SKIP): ${name} `, 'm').exec(stdout) ?? []
      const status = error !== null || verdict === 'FAIL' ? 'failed' : verdict === 'PASS' ? 'passed' : 'skipped'
      resolve({ status, output: status === 'passed' ? '' : withoutPolling(`${stdout}${stderr}`) })
    })
  })

/** Tests that wait for a run write several lines a second. */
const withoutPolling = (output: string): string =>
  output
    .split('\n')
    .filter((line) => !/helper_test\.go:\d+: (\.\.\.|Polling run|Reading run|Run "[^"]*" had status)/.test(line))
    .join('\n')
    .slice(-4000)
