import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import type { EngineName } from '../../platform/engine-name.ts'
import type { Log } from '../../platform/log.ts'
import { hashFile } from './hash-file.ts'
import type { ReleasePlatform } from './release-platform.ts'
import { syncPath } from './sync-path.ts'

type Deps = { engine: EngineName; directory: string; platform: ReleasePlatform; clock: Clock; log: Log }

const partialPrefix = '.partial-'
const abandonedMs = 60 * 60_000

/**
 * The engines on disk: `NAME/VERSION/OS_ARCH/SHA256/NAME`, e.g. `terraform/1.11.4/…/terraform`, the sha256 being that of the file itself.
 * A directory of that name appears by one rename, complete and flushed.
 */
export const makeStoredEngines = ({ engine, directory, platform, clock, log }: Deps) => {
  const root = join(directory, engine)
  const placeOf = (version: string): string => join(root, version, `${platform.os}_${platform.arch}`)
  const intact = new Set<string>()

  const digests = async (version: string): Promise<string[]> =>
    (await listDirectory(placeOf(version))).filter((name) => /^[0-9a-f]{64}$/.test(name))

  const isIntact = async (path: string, digest: string): Promise<boolean> => {
    if (intact.has(path)) return true
    if ((await hashFile(path).catch(() => undefined)) !== digest) return false
    intact.add(path)
    return true
  }

  return {
    versions: async (): Promise<string[]> => {
      const versions = await listDirectory(root)
      const present = await Promise.all(versions.map(async (version) => (await digests(version)).length > 0))
      return versions.filter((_, index) => present[index])
    },

    /**
     * Path of a stored engine, hashed once by this process before its first use. A copy that is not what its name says is removed;
     * `damaged` tells that this happened.
     */
    find: async (version: string): Promise<{ path?: string; damaged: boolean }> => {
      let damaged = false
      for (const digest of await digests(version)) {
        const path = join(placeOf(version), digest, engine)
        if (await isIntact(path, digest)) return { path, damaged }
        damaged = true
        log.error({ version, path }, `stored ${engine} does not match its checksum; removed`)
        await rm(dirname(path), { recursive: true, force: true })
      }
      return { damaged }
    },

    /** Lets `fill` make the file of the engine's name in a directory of its own and takes it into the store. */
    add: async (version: string, fill: (partial: string) => Promise<void>): Promise<string> => {
      const place = placeOf(version)
      await makeReadable(place)
      await removeAbandoned(place, clock)
      const partial = await mkdtemp(join(place, partialPrefix))
      try {
        await fill(partial)
        const digest = await hashFile(join(partial, engine))
        const target = join(place, digest)
        // mkdtemp gives 0700.
        await chmod(partial, 0o755)
        await syncPath(partial)
        await rename(partial, target).catch(async (error: unknown) => {
          // Another process was faster with the same content.
          if ((await hashFile(join(target, engine)).catch(() => undefined)) !== digest) throw error
        })
        for (const parent of [place, dirname(place), root, directory]) await syncPath(parent)
        intact.add(join(target, engine))
        return join(target, engine)
      } finally {
        await rm(partial, { recursive: true, force: true })
      }
    },
  }
}

/** Runs use the engine under another uid, whatever the umask of the server is. */
const makeReadable = async (path: string): Promise<void> => {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await chmod(made, 0o755)
}

const listDirectory = async (path: string): Promise<string[]> => {
  try {
    return await readdir(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** What a killed process left behind; a living one is younger. */
const removeAbandoned = async (place: string, clock: Clock): Promise<void> => {
  for (const name of await listDirectory(place)) {
    if (!name.startsWith(partialPrefix)) continue
    const started = await stat(join(place, name)).catch(() => undefined)
    if (started !== undefined && clock.now().getTime() - started.mtimeMs > abandonedMs)
      await rm(join(place, name), { recursive: true, force: true })
  }
}
