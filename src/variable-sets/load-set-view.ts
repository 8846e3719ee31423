import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { loadSetViews } from './load-set-views.ts'
import { findVariableSet } from './queries.ts'
import type { VariableSetDeps, VariableSetReader, VariableSetView } from './variable-set.ts'

/** As it is now, for whoever was authorized. */
export const loadSetView = async (d: VariableSetDeps, ctx: Ctx, reader: VariableSetReader, id: string): Promise<VariableSetView> => {
  const found = await findVariableSet(reader, id)
  const [view] = found === undefined ? [] : await loadSetViews(d, ctx, reader, [found])
  if (view === undefined) throw notFound()
  return view
}
