import type { Client } from '../../platform/context.ts'
import { type EngineName, engineTitles } from '../../platform/engine-name.ts'
import { invalid } from '../../platform/errors.ts'
import type { EngineVersions } from '../ports.ts'
import type { UpdateWorkspace } from './schemas.ts'

/** Who executes runs, and in which version. A member that is absent stays as it is. */
export type EngineChoice = { engine?: EngineName; terraformVersion?: string }

/** Whose workspace it is to become when the request does not say: `tofu init` makes one for OpenTofu. */
export const engineOfClient = ({ userAgent }: Client): EngineName => (userAgent?.startsWith('OpenTofu/') === true ? 'tofu' : 'terraform')

/**
 * What to write down: null stands for the default, and another engine without a version for its newest. Not inside a transaction: it may ask
 * the release mirror. Throws INVALID for a version that is not to be had.
 */
export const requestedEngine = async (
  engineVersions: Record<EngineName, EngineVersions>,
  current: EngineName,
  { engine: asked, terraformVersion: version }: Pick<UpdateWorkspace, 'engine' | 'terraformVersion'>,
): Promise<EngineChoice> => {
  const engine = asked === undefined ? current : (asked ?? 'terraform')
  if (version === undefined && engine === current) return {}
  if (version === undefined || version === null) return { engine, terraformVersion: await engineVersions[engine].latest() }
  if (await engineVersions[engine].isKnown(version)) return { engine, terraformVersion: version }
  throw invalid(
    `${engineTitles[engine]} version "${version}" is not known: give a release, a constraint such as "~> 1.11.0", or "latest"`,
    'terraform-version',
  )
}
