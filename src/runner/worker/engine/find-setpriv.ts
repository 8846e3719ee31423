import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Isolation } from '../options.ts'

const run = promisify(execFile)

/**
 * Command line in front of the engine: it dies with the worker and gains no privilege; with isolation it also changes the
 * user and drops every capability. Empty where util-linux's setpriv is absent or too old (BusyBox has no --pdeathsig).
 */
export const findSetpriv = async (isolation: Isolation | undefined): Promise<string[]> => {
  const path = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/sbin/setpriv'].find((candidate) => existsSync(candidate))
  if (path === undefined) return []
  const switches = ['--pdeathsig', 'KILL', '--no-new-privs']
  if (isolation !== undefined)
    switches.push('--reuid', `${isolation.uid}`, '--regid', `${isolation.gid}`, '--clear-groups', '--inh-caps=-all', '--bounding-set=-all')
  const works = await run(path, [...switches, '--', path, '--version'], { env: {} }).then(
    () => true,
    () => false,
  )
  return works ? [path, ...switches, '--'] : []
}
