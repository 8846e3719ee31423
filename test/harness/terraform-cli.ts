import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from './wait-for.ts'

export type CliResult = { code: number | null; stdout: string; stderr: string }

/** A terraform command under way. Its questions are answered by `write`. */
export type Cli = {
  pid: number
  stdout(): string
  /** Resolves when stdout holds `text`; throws when the command ends without it. */
  sees(text: string | RegExp, timeoutMs?: number): Promise<void>
  write(text: string): void
  signal(signal: NodeJS.Signals): void
  ended: Promise<CliResult>
}

export type CliOptions = {
  /** Default: terraform. */
  program?: 'terraform' | 'tofu'
  /** Of the server; undefined: terraform knows of none. */
  cliConfigFile?: string
  env?: Record<string, string>
  /** Written to stdin at once, which ends then. */
  input?: string
}

/** What terraform finds around it: nothing of this process's environment but PATH. */
export const cliEnvironment = (
  directory: string,
  { cliConfigFile, env = {} }: Pick<CliOptions, 'cliConfigFile' | 'env'>,
): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: join(directory, '.home'),
  LANG: 'C.UTF-8',
  TF_CLI_CONFIG_FILE: cliConfigFile ?? '/dev/null',
  CHECKPOINT_DISABLE: '1',
  ...env,
})

/** Starts the real terraform or tofu of PATH in `directory`. */
export const startTerraform = async (
  directory: string,
  args: string[],
  { input, program = 'terraform', ...around }: CliOptions = {},
): Promise<Cli> => {
  await mkdir(join(directory, '.home'), { recursive: true })
  const child = spawn(program, args, { cwd: directory, env: cliEnvironment(directory, around), stdio: ['pipe', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => (output[stream] += text))
  }
  child.stdin.on('error', () => undefined)
  if (input !== undefined) child.stdin.end(input)
  let isOver = false
  const ended = once(child, 'close').then(([code]: (number | null)[]): CliResult => {
    isOver = true
    return { code: code ?? null, ...output }
  })
  return {
    pid: child.pid ?? 0,
    stdout: () => output.stdout,
    sees: async (text, timeoutMs = 60_000) => {
      const has = (): boolean => (typeof text === 'string' ? output.stdout.includes(text) : text.test(output.stdout))
      const seen = await waitFor(() => has() || isOver, { timeoutMs }).catch(() => false)
      if (!seen || !has()) throw new Error(`${program} ${args.join(' ')} did not show ${String(text)}:\n${output.stdout}\n${output.stderr}`)
    },
    write: (text) => void child.stdin.write(text),
    signal: (signal) => void child.kill(signal),
    ended,
  }
}

/** Runs a terraform command to its end; without `input` stdin is at its end from the start. */
export const terraform = async (directory: string, args: string[], options: CliOptions = {}): Promise<CliResult> =>
  (await startTerraform(directory, args, { input: '', ...options })).ended
