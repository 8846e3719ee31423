/** Operating system and architecture as release archives name them, e.g. `linux` and `amd64`. */
export type ReleasePlatform = { os: string; arch: string }

const systems: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'darwin', freebsd: 'freebsd', openbsd: 'openbsd' }
const architectures: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64', arm: 'arm', ia32: '386' }

/** The platform of this process; a name that no release has where the vendor makes none, so that the mirror's answer says so. */
export const releasePlatform = (): ReleasePlatform => ({
  os: systems[process.platform] ?? process.platform,
  arch: architectures[process.arch] ?? process.arch,
})
