import { type Resource, linkOne, resource } from '../../api/index.ts'
import type { Variable } from './variable.ts'

export const variableResource = (variable: Variable): Resource => {
  const path = `/api/v2/workspaces/${variable.workspaceId}`
  return resource({
    type: 'vars',
    id: variable.id,
    attributes: {
      key: variable.key,
      value: variable.value,
      sensitive: variable.isSensitive,
      category: variable.category,
      hcl: variable.isHcl,
      description: variable.description,
      'created-at': variable.createdAt,
      'version-id': variable.versionId,
    },
    relationships: { configurable: linkOne('workspaces', variable.workspaceId, path) },
    links: { self: `${path}/vars/${variable.id}` },
  })
}
