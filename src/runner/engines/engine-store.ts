import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { major, minor, valid } from 'semver'
import type { Clock } from '../../platform/clock.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { fileIdentity } from '../file-identity.ts'
import { downloadEngine } from './download-engine.ts'
import { newestVersion } from './newest-version.ts'
import { makePathEngines } from './path-engines.ts'
import { makeReleaseMirror } from './release-mirror.ts'
import { releasePlatform } from './release-platform.ts'
import { makeStoredEngines } from './stored-engines.ts'
import { parseVersionRequest, type VersionRequest } from './version-request.ts'
import { withInstallLock } from './with-install-lock.ts'

type Deps = {
  /** Own directory of the store; made when absent. Several processes may share it. */
  directory: string
  releaseMirrorUrl?: string
  /** Value of PATH in which installed engines are looked for. */
  searchPath: string
  /** Armored OpenPGP public keys that may sign releases. */
  trustedKeys: string[]
  log: Log
  clock: Clock
  fetch?: typeof globalThis.fetch
}

/** `file`: identity of the file that is known to have this version. */
export type LocatedEngine = { path: string; version: string; file: string; source: 'path' | 'store' }

export type EngineStore = ReturnType<typeof makeEngineStore>

const defaultReleaseMirrorUrl = 'https://releases.hashicorp.com'
const defaultVersion = '1.11.4'

/** Finds Terraform in the asked version on PATH or in its own store, and downloads and verifies it when it is in neither. */
export const makeEngineStore = (deps: Deps) => {
  const { directory, log, clock, trustedKeys, fetch = globalThis.fetch } = deps
  const platform = releasePlatform()
  const mirror = makeReleaseMirror({ url: deps.releaseMirrorUrl ?? defaultReleaseMirrorUrl, platform, clock, fetch })
  const pathEngines = makePathEngines({ searchPath: deps.searchPath, log })
  const stored = makeStoredEngines({ directory, platform, clock, log })
  const installing = new Map<string, Promise<string>>()

  const installedVersions = async (): Promise<string[]> => {
    const [onPath, inStore] = await Promise.all([pathEngines.list(), stored.versions()])
    return [...onPath.map(({ version }) => version), ...inStore]
  }

  const install = async (version: string): Promise<string> => {
    const { path, damaged } = await stored.find(version)
    if (path !== undefined) return path
    await mkdir(directory, { recursive: true })
    return withInstallLock(join(directory, `terraform-${version}.lock`), clock, async () => {
      const { path: meanwhile } = await stored.find(version)
      if (meanwhile !== undefined) return meanwhile
      log.info({ version, mirror: mirror.url }, 'downloading terraform')
      const download = stored.add(version, (partial) => downloadEngine({ mirror, platform, trustedKeys, clock }, version, partial))
      return download.catch((error: unknown) => {
        if (!damaged || !(error instanceof AppError)) throw error
        throw new AppError('ENGINE_BAD_CHECKSUM', `The stored terraform ${version} was damaged and has been removed. ${error.detail}`, {
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
        throw invalid(`"${requested.slice(0, 100)}" is no Terraform version, constraint or "latest"`, 'terraform-version')
      if (request.kind === 'exact') return request.version
      const installed = await installedVersions()
      const match = newestVersion(installed.filter((version) => isMatch(request, version)))
      if (match !== undefined) return match
      const { versions, failure } = await mirror.index()
      const offered = newestVersion(versions.filter((version) => isMatch(request, version)))
      if (offered !== undefined) return offered
      const have = installed.length > 0 ? `installed: ${installed.join(', ')}` : 'none is installed'
      const onMirror = failure === undefined ? `${mirror.url} offers no match` : `the list of ${mirror.url} could not be read: ${failure}`
      throw new AppError(
        'ENGINE_UNAVAILABLE',
        `No Terraform version matches "${requested}" (${have}; ${onMirror}). ` +
          'Put a matching terraform on PATH, or set --release-mirror to a mirror you can reach.',
        { retryable: failure !== undefined },
      )
    },

    /**
     * Whether a workspace may ask for `requested`. Installed, or listed by the mirror. While the mirror cannot be reached, anything that looks
     * like a release since 0.10 is accepted: an air-gapped server must not refuse workspaces that move in, and a run of a version that is not
     * to be had ends with a text that says what to do.
     */
    isKnown: async (requested: string): Promise<boolean> => {
      const request = parseVersionRequest(requested)
      if (request === undefined) return false
      if (request.kind === 'latest') return true
      if ((await installedVersions()).some((version) => isMatch(request, version))) return true
      const { versions, failure } = await mirror.index()
      if (versions.some((version) => isMatch(request, version))) return true
      return failure !== undefined && (request.kind === 'exact' ? [request.version] : request.lowerBounds).every(isPlausible)
    },

    /** The newest installed version, the default of new workspaces; a fixed one when none is installed. */
    latest: async (): Promise<string> => newestVersion(await installedVersions()) ?? defaultVersion,

    /**
     * The executable of exactly `version`, downloaded and verified if need be; at the same time and in several processes at most once.
     * Throws AppError ENGINE_UNAVAILABLE, ENGINE_BAD_CHECKSUM, or INVALID when `version` is not exact.
     */
    locate: async (version: string): Promise<LocatedEngine> => {
      if (valid(version) !== version) throw invalid(`"${version.slice(0, 100)}" is no exact Terraform version`, 'terraform-version')
      const onPath = (await pathEngines.list()).find((engine) => engine.version === version)
      if (onPath !== undefined) return { ...onPath, source: 'path' }
      const running = installing.get(version) ?? install(version).finally(() => installing.delete(version))
      installing.set(version, running)
      const path = await running
      return { path, version, file: fileIdentity(await stat(path, { bigint: true })), source: 'store' }
    },
  }
}

const isMatch = (request: VersionRequest, version: string): boolean => {
  if (request.kind === 'exact') return request.version === version
  return valid(version) !== null && (request.kind === 'latest' || request.matches(version))
}

const isPlausible = (version: string): boolean =>
  major(version) === 1 || (major(version) === 0 && minor(version) >= 10 && minor(version) <= 15)
