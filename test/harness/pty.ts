import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type CliOptions, cliEnvironment } from './terraform-cli.ts'
import { waitFor } from './wait-for.ts'

export type Terminal = {
  screen(): string
  /** Resolves when the screen has shown `text`. */
  shows(text: string): Promise<void>
  /** What a person types; `\u0003` is Ctrl-C. */
  type(keys: string): void
  /** Exit code of the command. */
  ended: Promise<number | null>
}

/** Runs terraform or tofu in `directory` on a real pseudo-terminal, by util-linux's `script`. */
export const terraformOnTerminal = async (
  directory: string,
  args: string[],
  { program = 'terraform', ...options }: Pick<CliOptions, 'program' | 'cliConfigFile' | 'env'>,
): Promise<Terminal> => {
  await mkdir(join(directory, '.home'), { recursive: true })
  const command = `exec ${program} ${args.join(' ')}`
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd: directory,
    env: { ...cliEnvironment(directory, options), TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let screen = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (screen += text))
  child.stdin.on('error', () => undefined)
  return {
    screen: () => screen,
    shows: async (text) => {
      const isShown = await waitFor(() => screen.includes(text), { timeoutMs: 60_000 }).catch(() => false)
      if (!isShown) throw new Error(`"${text}" did not appear on the screen:\n${screen}`)
    },
    type: (keys) => void child.stdin.write(keys),
    ended: once(child, 'close').then(([code]: (number | null)[]) => code ?? null),
  }
}
