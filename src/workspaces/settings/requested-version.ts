import { invalid } from '../../platform/errors.ts'
import type { EngineVersions } from '../ports.ts'

/**
 * The version to write down: undefined when the request has none, the newest for null. Not inside a transaction: it may ask the release
 * mirror. Throws INVALID for what is not to be had.
 */
export const requestedVersion = async (engineVersions: EngineVersions, given: string | null | undefined): Promise<string | undefined> => {
  if (given === undefined) return undefined
  if (given === null) return engineVersions.latest()
  if (await engineVersions.isKnown(given)) return given
  throw invalid(
    `Terraform version "${given}" is not known: give a release, a constraint such as "~> 1.11.0", or "latest"`,
    'terraform-version',
  )
}
