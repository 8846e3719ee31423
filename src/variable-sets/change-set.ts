import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { findAllowedSet } from './find-allowed-set.ts'
import { type FoundSet, findVariableSet, lockOrganizationRow, touchVariableSet } from './queries.ts'
import type { VariableSetDeps, VariableSetTx } from './variable-set.ts'

/** Every change of a set or of what is in it: the right is checked, nobody else changes sets meanwhile, and the change is told. */
export const changeSet = <T>(
  d: VariableSetDeps,
  ctx: Ctx,
  id: string,
  change: (tx: VariableSetTx, found: FoundSet) => Promise<T>,
): Promise<T> =>
  d.db.transaction(async (tx) => {
    const { row } = await findAllowedSet(d, ctx, tx, id, 'variable-set:write')
    await lockOrganizationRow(tx, row.organizationId)
    const found = await findVariableSet(tx, id)
    if (found === undefined) throw notFound()
    const result = await change(tx, found)
    await touchVariableSet(tx, id, d.clock.now())
    await d.outbox.emit(tx, { type: 'variable-set.updated', subject: id, organizationId: row.organizationId })
    return result
  })
