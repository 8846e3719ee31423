import { chmod, copyFile, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { major, minor, valid } from 'semver'
import type { Clock } from '../../platform/clock.ts'
import { type EngineName, engineTitles } from '../../platform/engine-name.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { fileIdentity } from '../file-identity.ts'
import { downloadEngine } from './download-engine.ts'
import { engineMissing, howToInstall, installedText } from './engine-errors.ts'
import { newestVersion } from './newest-version.ts'
import { makePathEngines } from './path-engines.ts'
import { makeReleaseMirror, type ReleaseIndex } from './release-mirror.ts'
import { releasePlatform } from './release-platform.ts'
import { makeStoredEngines } from './stored-engines.ts'
import { syncPath } from './sync-path.ts'
import { parseVersionRequest, type VersionRequest } from './version-request.ts'
import { withInstallLock } from './with-install-lock.ts'

type Deps = {
  engine: EngineName
  /** Own directory of the store; made when absent. Several processes may share it, and the stores of both engines. */
  directory: string
  /** Where releases come from, and the armored OpenPGP public keys that may sign them. Undefined: nothing is downloaded. */
  releases?: { mirrorUrl?: string; trustedKeys: string[] }
  /** Value of PATH in which installed engines are looked for. */
  searchPath: string
  log: Log
  clock: Clock
  fetch?: typeof globalThis.fetch
}

/** `file`: identity of the file that is known to have this version. */
export type LocatedEngine = { path: string; version: string; file: string; source: 'path' | 'store' }

export type EngineStore = ReturnType<typeof makeEngineStore>

const defaultReleaseMirrorUrl = 'https://releases.hashicorp.com'
/** While none is installed. */
const defaultVersions: Record<EngineName, string> = { terraform: '1.11.4', tofu: '1.12.6' }

/** Finds an engine in the asked version on PATH or in its own store, and downloads and verifies it when it is in neither. */
export const makeEngineStore = (deps: Deps) => {
  const { engine, directory, releases, log, clock, fetch = globalThis.fetch } = deps
  const title = engineTitles[engine]
  const platform = releasePlatform()
  const source = releases && {
    trustedKeys: releases.trustedKeys,
    mirror: makeReleaseMirror({ url: releases.mirrorUrl ?? defaultReleaseMirrorUrl, platform, clock, fetch }),
  }
  const pathEngines = makePathEngines({ engine, searchPath: deps.searchPath, log })
  const stored = makeStoredEngines({ engine, directory, platform, clock, log })
  const installing = new Map<string, Promise<string>>()

  const installedVersions = async (): Promise<string[]> => {
    const [onPath, inStore] = await Promise.all([pathEngines.list(), stored.versions()])
    return [...new Set([...onPath.map(({ version }) => version), ...inStore])]
  }

  const offered = async (): Promise<ReleaseIndex> => (await source?.mirror.index()) ?? { versions: [] }

  const install = async (version: string): Promise<string> => {
    const { path, damaged } = await stored.find(version)
    if (path !== undefined) return path
    if (source === undefined) throw engineMissing(engine, version, await installedVersions())
    await mkdir(directory, { recursive: true })
    return withInstallLock(join(directory, `${engine}-${version}.lock`), clock, async () => {
      const { path: meanwhile } = await stored.find(version)
      if (meanwhile !== undefined) return meanwhile
      log.info({ version, mirror: source.mirror.url }, `downloading ${engine}`)
      const download = stored.add(version, (partial) => downloadEngine({ ...source, platform, clock }, version, partial))
      return download.catch((error: unknown) => {
        if (!damaged || !(error instanceof AppError)) throw error
        throw new AppError('ENGINE_BAD_CHECKSUM', `The stored ${engine} ${version} was damaged and has been removed. ${error.detail}`, {
          cause: error,
        })
      })
    })
  }

  return {
    /**
     * The exact version that `requested` (exact, constraint or `latest`) stands for: the newest installed one that matches, else the
     * newest on the mirror. Throws AppError INVALID for what is no version, ENGINE_UNAVAILABLE when nothing matches.
     */
    resolve: async (requested: string): Promise<string> => {
      const request = parseVersionRequest(requested)
      if (request === undefined)
        throw invalid(`"${requested.slice(0, 100)}" is no ${title} version, constraint or "latest"`, 'terraform-version')
      if (request.kind === 'exact') return request.version
      const installed = await installedVersions()
      const match = newestVersion(installed.filter((version) => isMatch(request, version)))
      if (match !== undefined) return match
      const { versions, failure } = await offered()
      const newest = newestVersion(versions.filter((version) => isMatch(request, version)))
      if (newest !== undefined) return newest
      throw new AppError(
        'ENGINE_UNAVAILABLE',
        `No ${title} version matches "${requested}" (${installedText(installed)}; ${reasonOf(source?.mirror.url, failure)}). ` +
          (source === undefined
            ? `${howToInstall(`a matching ${engine}`)}.`
            : `Put a matching ${engine} on PATH, or set --release-mirror to a mirror you can reach.`),
        { retryable: failure !== undefined },
      )
    },

    /**
     * Whether a workspace may ask for `requested`. Installed, or listed by the mirror. While the mirror cannot be reached, or where there is
     * none and nothing is installed, anything that looks like a release is accepted: an air-gapped server must not refuse workspaces that
     * move in, and a run of a version that is not to be had ends with a text that says what to do.
     */
    isKnown: async (requested: string): Promise<boolean> => {
      const request = parseVersionRequest(requested)
      if (request === undefined) return false
      if (request.kind === 'latest') return true
      const installed = await installedVersions()
      if (installed.some((version) => isMatch(request, version))) return true
      const { versions, failure } = await offered()
      if (versions.some((version) => isMatch(request, version))) return true
      const isUncertain = source === undefined ? installed.length === 0 : failure !== undefined
      return isUncertain && (request.kind === 'exact' ? [request.version] : request.lowerBounds).every(isPlausible[engine])
    },

    /** The newest installed version, the default of new workspaces; a fixed one when none is installed. */
    latest: async (): Promise<string> => newestVersion(await installedVersions()) ?? defaultVersions[engine],

    /**
     * The executable of exactly `version`, downloaded and verified if need be; at the same time and in several processes at most once.
     * Throws AppError ENGINE_UNAVAILABLE, ENGINE_BAD_CHECKSUM, or INVALID when `version` is not exact.
     */
    locate: async (version: string): Promise<LocatedEngine> => {
      if (valid(version) !== version) throw invalid(`"${version.slice(0, 100)}" is no exact ${title} version`, 'terraform-version')
      const onPath = await pathEngines.find(version)
      if (onPath !== undefined) return { ...onPath, source: 'path' }
      const running = installing.get(version) ?? install(version).finally(() => installing.delete(version))
      installing.set(version, running)
      const path = await running
      return { path, version, file: fileIdentity(await stat(path, { bigint: true })), source: 'store' }
    },

    /** Takes a copy of the executable `file`, which the caller knows to be this engine in `version`, into the store. Answers its path there. */
    add: async (file: string, version: string): Promise<string> =>
      stored.add(version, async (partial) => {
        const target = join(partial, engine)
        await copyFile(file, target)
        await chmod(target, 0o755)
        await syncPath(target)
      }),
  }
}

const reasonOf = (mirrorUrl: string | undefined, failure: string | undefined): string => {
  if (mirrorUrl === undefined) return 'this server does not download it'
  return failure === undefined ? `${mirrorUrl} offers no match` : `the list of ${mirrorUrl} could not be read: ${failure}`
}

const isMatch = (request: VersionRequest, version: string): boolean => {
  if (request.kind === 'exact') return request.version === version
  return valid(version) !== null && (request.kind === 'latest' || request.matches(version))
}

/** Of the releases that exist: OpenTofu begins with 1.6. */
const isPlausible: Record<EngineName, (version: string) => boolean> = {
  terraform: (version) => major(version) === 1 || (major(version) === 0 && minor(version) >= 10 && minor(version) <= 15),
  tofu: (version) => major(version) === 1 && minor(version) >= 6,
}
