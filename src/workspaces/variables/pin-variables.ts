import type { WorkspaceDeps, WorkspaceReader } from '../workspace.ts'
import { listVariableRows } from './queries.ts'
import { sealingContext, type PinnedVariable } from './variable.ts'

/** The variables as they are now, with all values, for a run: to be sealed again before they are written anywhere. */
export const pinVariables =
  ({ envelope }: Pick<WorkspaceDeps, 'envelope'>) =>
  async (reader: WorkspaceReader, workspaceId: string): Promise<PinnedVariable[]> =>
    (await listVariableRows(reader, workspaceId)).map((row) => ({
      key: row.key,
      value: envelope.openText(row.valueSealed, sealingContext(row.id)),
      category: row.category,
      hcl: row.isHcl,
      sensitive: row.isSensitive,
    }))
