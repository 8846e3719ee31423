import { invalid } from '../platform/errors.ts'
import { insertLinks, listPossibleTargets } from './link-queries.ts'
import type { Target, VariableSetRow, VariableSetTx } from './variable-set.ts'

/** Applies the set to these as well. INVALID for a global set, and for what is not within reach of its owner. */
export const applySet = async (tx: VariableSetTx, set: VariableSetRow, target: Target, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  if (set.isGlobal) throw invalid(`A global variable set reaches every workspace: it cannot be applied to ${target}`)
  const possible = new Set(await listPossibleTargets(tx, target, set, ids))
  const missing = ids.find((id) => !possible.has(id))
  if (missing !== undefined) {
    const where = set.projectId === null ? 'the organization' : 'the project that owns the variable set'
    throw invalid(`${missing.slice(0, 100)} is not among the ${target} of ${where}`)
  }
  await insertLinks(tx, target, set.id, [...possible])
}
