import { type Resource, linkOne } from '../../api/index.ts'
import { variableAttributes, variableType } from '../../workspaces/index.ts'
import type { SetVariable } from './set-variable.ts'

export const setVariableResource = (variable: SetVariable): Resource => {
  const path = `/api/v2/varsets/${variable.variableSetId}`
  return variableType.of({
    id: variable.id,
    attributes: variableAttributes(variable),
    relationships: { configurable: undefined, varset: linkOne('varsets', variable.variableSetId, path) },
    links: { self: `${path}/relationships/vars/${variable.id}` },
  })
}
