import { findWorkspace, openVariable } from '../workspaces/index.ts'
import { listEffectiveVariables } from './list-effective-variables.ts'
import type { VariableSetDeps, VariableSetReader } from './variable-set.ts'

/** Contains the values of sensitive ones. A variable with priority is not replaced by what is given to the run. */
type PinnedVariable = {
  key: string
  value: string
  category: 'terraform' | 'env'
  hcl: boolean
  sensitive: boolean
  priority: boolean
}

/** The variables of a workspace as they are now, those of sets included, for a run: to be sealed again before they are written anywhere. */
export const pinVariables =
  ({ envelope }: Pick<VariableSetDeps, 'envelope'>) =>
  async (reader: VariableSetReader, workspaceId: string): Promise<PinnedVariable[]> => {
    const workspace = await findWorkspace(reader, { id: workspaceId })
    if (workspace === undefined) return []
    return (await listEffectiveVariables(reader, workspace.row)).map(({ row, isPriority }) => ({
      key: row.key,
      value: openVariable(envelope, row),
      category: row.category,
      hcl: row.isHcl,
      sensitive: row.isSensitive,
      priority: isPriority,
    }))
  }
