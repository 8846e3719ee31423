import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { sshdPath } from './requirements.ts'
import { waitFor } from './wait-for.ts'

const run = promisify(execFile)

/** A private key without passphrase in OpenSSH's own form, and the line that authorizes it. */
export const newSshKey = async (directory: string, name: string): Promise<{ privateKey: string; publicKey: string }> => {
  const file = join(directory, name)
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file])
  return { privateKey: await readFile(file, 'utf8'), publicKey: await readFile(`${file}.pub`, 'utf8') }
}

export type SshServer = {
  /** `user@host:port`. */ address: string
  log(): string
  stop(): Promise<void>
}

/** A real sshd on the loopback that lets the user of the test in with the one key, and has its files in `directory`. */
export const startSshServer = async (directory: string, publicKey: string): Promise<SshServer> => {
  await newSshKey(directory, 'host')
  const authorized = join(directory, 'authorized_keys')
  await writeFile(authorized, publicKey)
  await chmod(authorized, 0o600)
  const port = await freePort()
  const configuration = join(directory, 'sshd_config')
  await writeFile(
    configuration,
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${join(directory, 'host')}`,
      `AuthorizedKeysFile ${authorized}`,
      `PidFile ${join(directory, 'sshd.pid')}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      '',
    ].join('\n'),
  )
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 })
  const server = spawn(sshdPath, ['-D', '-e', '-f', configuration], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  server.stderr.on('data', (bytes: Buffer) => (log += bytes.toString()))
  const exited = once(server, 'exit')
  await waitFor(() => answers(port), { timeoutMs: 20_000 })
  return {
    address: `${userInfo().username}@127.0.0.1:${port}`,
    log: () => log,
    stop: async () => {
      server.kill()
      await exited
    },
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/** A repository with one commit of these files; its path. */
export const newRepository = async (directory: string, files: Record<string, string>): Promise<string> => {
  const repository = join(directory, 'repository')
  await mkdir(repository)
  for (const [name, text] of Object.entries(files)) await writeFile(join(repository, name), text)
  const git = (...args: string[]) => run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: repository })
  await git('init', '-q', '-b', 'main')
  await git('add', '.')
  await git('commit', '-q', '-m', 'one')
  return repository
}
