import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Isolation } from '../options.ts'

const run = promisify(execFile)

/** Path of util-linux's setpriv; null where it is absent or too old (BusyBox has no --pdeathsig) for what is asked of it. */
export const findSetpriv = async (isolation: Isolation | undefined): Promise<string | null> => {
  const path = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/sbin/setpriv'].find((candidate) => existsSync(candidate))
  if (path === undefined) return null
  const [command = path, ...args] = setprivCommand(path, isolation)
  return run(command, [...args, path, '--version'], { env: {} }).then(
    () => path,
    () => null,
  )
}

/**
 * Command line in front of the engine: it dies with the worker and gains no privilege; with isolation it also changes the
 * user and drops every capability.
 */
export const setprivCommand = (path: string, isolation: Isolation | undefined): string[] => [
  path,
  '--pdeathsig',
  'KILL',
  '--no-new-privs',
  ...(isolation === undefined
    ? []
    : ['--reuid', `${isolation.uid}`, '--regid', `${isolation.gid}`, '--clear-groups', '--inh-caps=-all', '--bounding-set=-all']),
  '--',
]
