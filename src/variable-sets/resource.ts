import { z } from 'zod'
import { type Resource, linkMany, linkOne, resourceType } from '../api/index.ts'
import type { VariableSetView } from './variable-set.ts'

export const variableSetType = resourceType('varsets', {
  attributes: z.object({
    name: z.string(),
    description: z.string(),
    global: z.boolean(),
    priority: z.boolean(),
    'created-at': z.date(),
    'updated-at': z.date(),
    'var-count': z.int(),
    'workspace-count': z.int(),
    'project-count': z.int(),
    permissions: z.object({ 'can-update': z.boolean() }),
  }),
  relationships: {
    organization: { one: 'organizations' },
    parent: { one: ['organizations', 'projects'] },
    vars: { many: 'vars' },
    workspaces: { many: 'workspaces' },
    projects: { many: 'projects' },
    stacks: { many: 'stacks' },
  },
})

export const variableSetResource = (view: VariableSetView): Resource => {
  const { row, organizationName, variableIds, workspaceIds, projectIds } = view
  return variableSetType.of({
    id: row.id,
    attributes: {
      name: row.name,
      description: row.description,
      global: row.isGlobal,
      priority: row.isPriority,
      'created-at': row.createdAt,
      'updated-at': row.updatedAt,
      'var-count': variableIds.length,
      'workspace-count': workspaceIds.length,
      'project-count': projectIds.length,
      permissions: { 'can-update': view.mayChange },
    },
    relationships: {
      organization: linkOne('organizations', organizationName),
      parent: row.projectId === null ? linkOne('organizations', organizationName) : linkOne('projects', row.projectId),
      vars: linkMany('vars', variableIds),
      workspaces: linkMany('workspaces', workspaceIds),
      projects: linkMany('projects', projectIds),
      stacks: linkMany('stacks', []),
    },
    links: { self: `/api/v2/varsets/${row.id}` },
  })
}
