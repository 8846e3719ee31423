import { listOutputIds } from '../queries.ts'
import type { StateReader, StateVersion } from '../state-version.ts'

/** A version with the ids of its outputs: all that its resource is made of. */
export type StateVersionView = { version: StateVersion; outputIds: readonly string[] }

export const withOutputs = async (reader: StateReader, versions: readonly StateVersion[]): Promise<StateVersionView[]> => {
  const outputIds = await listOutputIds(
    reader,
    versions.map(({ id }) => id),
  )
  return versions.map((version) => ({ version, outputIds: outputIds.get(version.id) ?? [] }))
}
