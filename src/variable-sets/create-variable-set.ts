import type { Organization } from '../organizations/index.ts'
import type { Ctx } from '../platform/context.ts'
import { invalid } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { loadSetView } from './load-set-view.ts'
import { listPossibleTargets } from './link-queries.ts'
import { orNameTaken } from './name-taken.ts'
import { insertVariableSet, lockOrganizationRow } from './queries.ts'
import type { CreateVariableSet } from './schemas.ts'
import type { VariableSetDeps, VariableSetRow, VariableSetTx, VariableSetView } from './variable-set.ts'
import { writeSetParts } from './write-set-parts.ts'

/** Of the organization, or of the project named as parent. INVALID for a name that the owner has, and for a global set of a project. */
export const createVariableSet =
  (d: VariableSetDeps) =>
  async (ctx: Ctx, organizationName: string, input: CreateVariableSet): Promise<VariableSetView> => {
    const organization = await d.getOrganization(ctx, organizationName, 'variable-set:write')
    return d.db.transaction(async (tx) => {
      await lockOrganizationRow(tx, organization.id)
      const projectId = await owningProject(tx, organization, input.parent ?? undefined)
      if (projectId !== null && input.global === true) throw invalid('Only a variable set of an organization can be global', 'global')
      const now = d.clock.now()
      const row: VariableSetRow = {
        id: newId('varset'),
        organizationId: organization.id,
        projectId,
        ownerId: projectId ?? organization.id,
        name: input.name,
        description: input.description ?? '',
        isGlobal: input.global ?? false,
        isPriority: input.priority ?? false,
        createdAt: now,
        updatedAt: now,
      }
      await orNameTaken(insertVariableSet(tx, row))
      await writeSetParts(d, tx, row, input)
      await d.outbox.emit(tx, { type: 'variable-set.created', subject: row.id, organizationId: organization.id })
      return loadSetView(d, ctx, tx, row.id)
    })
  }

const owningProject = async (
  tx: VariableSetTx,
  organization: Organization,
  parent: (CreateVariableSet['parent'] & {}) | undefined,
): Promise<string | null> => {
  if (parent === undefined) return null
  if (parent.type === 'organizations') {
    if (parent.id.toLowerCase() !== organization.name.toLowerCase())
      throw invalid('Parent must be the organization of the path or one of its projects', 'parent')
    return null
  }
  const [projectId] = await listPossibleTargets(tx, 'projects', { organizationId: organization.id, projectId: null }, [parent.id])
  if (projectId === undefined) throw invalid('Parent must be the organization of the path or one of its projects', 'parent')
  return projectId
}
