import { listVariableRows, type Workspace } from '../workspaces/index.ts'
import { type EffectiveVariable, effectiveVariables } from './effective-variables.ts'
import { listLinks } from './link-queries.ts'
import { listReachingSets } from './queries.ts'
import type { VariableSetReader } from './variable-set.ts'
import { listSetVariables } from './variables/queries.ts'

/** What a run of the workspace would get now: one variable for each key and category, values sealed. */
export const listEffectiveVariables = async (
  reader: VariableSetReader,
  { id, projectId, organizationId }: Pick<Workspace['row'], 'id' | 'projectId' | 'organizationId'>,
): Promise<EffectiveVariable[]> => {
  const own = await listVariableRows(reader, id)
  const sets = await listReachingSets(reader, { organizationId, projectId, workspaceId: id })
  if (sets.length === 0) return effectiveVariables(own, [])
  const ids = sets.map((set) => set.id)
  const variables = await listSetVariables(reader, ids)
  const onWorkspace = await listLinks(reader, 'workspaces', ids)
  const onProject = await listLinks(reader, 'projects', ids)
  const reaching = sets.map((set) => ({
    set,
    isOnWorkspace: onWorkspace.some(({ variableSetId, targetId }) => variableSetId === set.id && targetId === id),
    isOnProject: onProject.some(({ variableSetId, targetId }) => variableSetId === set.id && targetId === projectId),
    variables: variables.filter(({ variableSetId }) => variableSetId === set.id),
  }))
  return effectiveVariables(own, reaching)
}
