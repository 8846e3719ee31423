import { z } from 'zod'
import { type Resource, linkOne, resourceType } from '../../api/index.ts'
import type { Variable, toVariable } from './variable.ts'

export const variableType = resourceType('vars', {
  attributes: z.object({
    key: z.string(),
    /** Null for a sensitive one. */
    value: z.string().nullable(),
    sensitive: z.boolean(),
    category: z.enum(['terraform', 'env']),
    hcl: z.boolean(),
    description: z.string(),
    'created-at': z.date(),
    'version-id': z.string(),
  }),
  /** One of them: whose it is. */
  relationships: { configurable: { one: 'workspaces' }, varset: { one: 'varsets' } },
})

/** The same for the variables of a workspace and those of a set. */
export const variableAttributes = (variable: ReturnType<typeof toVariable>) => ({
  key: variable.key,
  value: variable.value,
  sensitive: variable.isSensitive,
  category: variable.category,
  hcl: variable.isHcl,
  description: variable.description,
  'created-at': variable.createdAt,
  'version-id': variable.versionId,
})

export const variableResource = (variable: Variable): Resource => {
  const path = `/api/v2/workspaces/${variable.workspaceId}`
  return variableType.of({
    id: variable.id,
    attributes: variableAttributes(variable),
    relationships: { configurable: linkOne('workspaces', variable.workspaceId, path), varset: undefined },
    links: { self: `${path}/vars/${variable.id}` },
  })
}
