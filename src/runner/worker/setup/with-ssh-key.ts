import { rm } from 'node:fs/promises'
import { writeJobFile } from '../files/write-job-file.ts'
import type { Isolation } from '../options.ts'
import type { RunPaths } from '../run-directory.ts'

/** Of the user's environment: whoever sets one of these has arranged ssh by himself. */
export const SSH_OF_USER = ['GIT_SSH_COMMAND', 'GIT_SSH']

/**
 * Runs `work` with an environment in which git reaches its servers with the private key; none is changed when the key is empty. The key
 * is in a file of mode 0600 as long as that takes and no longer, and in no argument. Of ssh's own configuration nothing is read,
 * no agent is asked, and nobody can be asked. A server that is not known yet is accepted; one that the system-wide known_hosts lists with
 * another key is not.
 */
export const withSshKey = async <T>(
  paths: Pick<RunPaths, 'sshKey' | 'knownHosts'>,
  privateKey: string,
  isolation: Isolation | undefined,
  work: (environment: Record<string, string>) => Promise<T>,
): Promise<T> => {
  if (privateKey === '') return work({})
  await rm(paths.sshKey, { force: true })
  await writeJobFile(paths.sshKey, asKeyFile(privateKey), 0o600, isolation)
  try {
    return await work({ GIT_SSH_COMMAND: sshCommand(paths) })
  } finally {
    await rm(paths.sshKey, { force: true })
  }
}

/** OpenSSH refuses a key without a last line end, and one with those of Windows. */
const asKeyFile = (privateKey: string): string => `${privateKey.replaceAll('\r\n', '\n').trim()}\n`

const sshCommand = ({ sshKey, knownHosts }: Pick<RunPaths, 'sshKey' | 'knownHosts'>): string => {
  const options = [
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'BatchMode=yes',
    'StrictHostKeyChecking=accept-new',
    `UserKnownHostsFile=${knownHosts}`,
  ]
  return ['ssh', '-F', '/dev/null', '-i', sshKey, ...options.flatMap((option) => ['-o', option])].map(shellQuoted).join(' ')
}

/** Git gives the command to a shell. */
const shellQuoted = (word: string): string => (/^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)
