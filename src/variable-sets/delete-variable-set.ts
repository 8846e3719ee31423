import type { Ctx } from '../platform/context.ts'
import { findAllowedSet } from './find-allowed-set.ts'
import { deleteVariableSetRow } from './queries.ts'
import type { VariableSetDeps } from './variable-set.ts'

/** With its variables. Runs that exist keep what they had. */
export const deleteVariableSet =
  (d: VariableSetDeps) =>
  (ctx: Ctx, id: string): Promise<void> =>
    d.db.transaction(async (tx) => {
      const { row } = await findAllowedSet(d, ctx, tx, id, 'variable-set:write')
      await deleteVariableSetRow(tx, id)
      await d.outbox.emit(tx, { type: 'variable-set.deleted', subject: id, organizationId: row.organizationId })
    })
