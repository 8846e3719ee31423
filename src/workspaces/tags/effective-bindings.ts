import type { ProjectBinding } from '../../organizations/index.ts'
import type { TagBinding } from '../workspace.ts'

/** Of the workspace itself, or of its project. */
export type EffectiveBinding = TagBinding | ProjectBinding

/** The workspace's own, then those of its project whose keys it does not have itself. Pure. */
export const effectiveBindings = (own: readonly TagBinding[], ofProject: readonly ProjectBinding[]): EffectiveBinding[] => {
  const keys = new Set(own.map(({ key }) => key))
  return [...own, ...ofProject.filter(({ key }) => !keys.has(key))]
}
