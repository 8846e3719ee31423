import type { Permission } from '../organizations/index.ts'
import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { type FoundSet, findVariableSet } from './queries.ts'
import type { VariableSetDeps, VariableSetReader } from './variable-set.ts'

/** The set, if the actor holds `permission` in its organization. NOT_FOUND for what is missing and for what is not allowed. */
export const findAllowedSet = async (
  { authorize }: Pick<VariableSetDeps, 'authorize'>,
  ctx: Ctx,
  reader: VariableSetReader,
  id: string,
  permission: Permission,
): Promise<FoundSet> => {
  const found = await findVariableSet(reader, id)
  if (found === undefined) throw notFound()
  await authorize(ctx, permission, { organizationId: found.row.organizationId }, reader)
  return found
}
