import type { Ctx } from '../platform/context.ts'
import { invalid } from '../platform/errors.ts'
import { changeSet } from './change-set.ts'
import { loadSetView } from './load-set-view.ts'
import { orNameTaken } from './name-taken.ts'
import { saveVariableSet } from './queries.ts'
import type { UpdateVariableSet } from './schemas.ts'
import type { VariableSetDeps, VariableSetRow, VariableSetView } from './variable-set.ts'
import { writeSetParts } from './write-set-parts.ts'

/** Absent stays. A list of workspaces or projects replaces, variables are added. The owner of a set never changes. */
export const updateVariableSet =
  (d: VariableSetDeps) =>
  (ctx: Ctx, id: string, input: UpdateVariableSet): Promise<VariableSetView> =>
    changeSet(d, ctx, id, async (tx, { row }) => {
      if (row.projectId !== null && input.global === true) throw invalid('Only a variable set of an organization can be global', 'global')
      const after: VariableSetRow = {
        ...row,
        name: input.name ?? row.name,
        description: input.description === undefined ? row.description : (input.description ?? ''),
        isGlobal: input.global ?? row.isGlobal,
        isPriority: input.priority ?? row.isPriority,
        updatedAt: d.clock.now(),
      }
      await orNameTaken(saveVariableSet(tx, after))
      await writeSetParts(d, tx, after, input)
      return loadSetView(d, ctx, tx, id)
    })
