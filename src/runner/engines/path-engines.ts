import { delimiter, isAbsolute, join } from 'node:path'
import { z } from 'zod'
import type { EngineName } from '../../platform/engine-name.ts'
import { errorMessage } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { executableAt, fileIdentity } from '../file-identity.ts'
import { askEngine } from './ask-engine.ts'

/** `file`: identity of the file that told the version. */
export type PathEngine = { path: string; version: string; file: string }

type Deps = { engine: EngineName; searchPath: string; log: Log }

const versionSchema = z.object({ terraform_version: z.string() })

/** Finds the executables of the engine's name in the directories of `searchPath` (form of PATH) and asks each once for its version. */
export const makePathEngines = ({ engine, searchPath, log }: Deps) => {
  const probes = new Map<string, Promise<string | undefined>>()

  const probe = async (path: string): Promise<string | undefined> => {
    try {
      return versionSchema.parse(JSON.parse(await askEngine(path, ['version', '-json'], searchPath))).terraform_version
    } catch (error) {
      log.warn({ path, error: errorMessage(error) }, `${engine} on PATH does not tell its version and is not used`)
      return undefined
    }
  }

  const examine = async (path: string): Promise<PathEngine | undefined> => {
    const file = executableAt(path)
    if (file?.isFile() !== true) return undefined
    const identity = fileIdentity(file)
    const key = `${path} ${identity}`
    const known = probes.get(key) ?? probe(path)
    probes.set(key, known)
    const version = await known
    return version === undefined ? undefined : { path, version, file: identity }
  }

  /** Where each version was found last; a run asks for its engine again and again. */
  const places = new Map<string, string>()

  const list = async (): Promise<PathEngine[]> => {
    const directories = new Set(searchPath.split(delimiter).filter((directory) => isAbsolute(directory)))
    const found = await Promise.all([...directories].map((directory) => examine(join(directory, engine))))
    return found.filter((each) => each !== undefined)
  }

  return {
    /** In the order of the search path. Looks again each time, since an operator may upgrade a binary in place. */
    list,
    find: async (version: string): Promise<PathEngine | undefined> => {
      const place = places.get(version)
      const again = place === undefined ? undefined : await examine(place)
      if (again?.version === version) return again
      const found = (await list()).find((each) => each.version === version)
      if (found !== undefined) places.set(version, found.path)
      return found
    },
  }
}
