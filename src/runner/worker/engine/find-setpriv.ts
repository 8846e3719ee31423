import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Isolation } from '../options.ts'

/**
 * Command line in front of the engine: it dies with the worker and gains no privilege; with isolation it also changes the
 * user and drops every capability. Empty where util-linux's setpriv is absent or too old (BusyBox has no --pdeathsig).
 */
export const findSetpriv = (isolation: Isolation | undefined): string[] => {
  const path = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/sbin/setpriv'].find((candidate) => existsSync(candidate))
  if (path === undefined) return []
  const switches = ['--pdeathsig', 'KILL', '--no-new-privs']
  if (isolation !== undefined)
    switches.push('--reuid', `${isolation.uid}`, '--regid', `${isolation.gid}`, '--clear-groups', '--inh-caps=-all', '--bounding-set=-all')
  const works = spawnSync(path, [...switches, '--', path, '--version'], { env: {}, stdio: 'ignore' }).status === 0
  return works ? [path, ...switches, '--'] : []
}
