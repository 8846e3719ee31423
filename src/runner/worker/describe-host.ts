import { readFileSync } from 'node:fs'
import { arch, availableParallelism, platform, totalmem } from 'node:os'

export type HostDescription = { bootId: string; os: string; arch: string; cpu: number; memBytes: number }

/** Facts of this machine for the handshake. */
export const describeHost = (): HostDescription => ({
  bootId: bootId(),
  os: platform(),
  arch: arch(),
  cpu: availableParallelism(),
  memBytes: totalmem(),
})

const bootId = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
