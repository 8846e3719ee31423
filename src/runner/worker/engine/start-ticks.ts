import { readFileSync } from 'node:fs'

/** Start time of a process in clock ticks since boot (field 22 of /proc/PID/stat), undefined when there is no such process or it is a zombie. */
export const startTicks = (pid: number): string | undefined => {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  // The name in parentheses may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' ? undefined : fields[19]
}
