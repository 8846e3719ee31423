import { z } from 'zod'
import { toOne } from '../../api/index.ts'
import { accessLevels } from '../../organizations/index.ts'

export const UpdateTeamAccess = z.object({
  access: z.enum(accessLevels, { error: 'Access must be read, plan, write, admin or custom' }).optional(),
  runs: z.enum(['read', 'plan', 'apply']).optional(),
  variables: z.enum(['none', 'read', 'write']).optional(),
  stateVersions: z.enum(['none', 'read-outputs', 'read', 'write']).optional(),
  sentinelMocks: z.enum(['none', 'read']).optional(),
  workspaceLocking: z.boolean().optional(),
  runTasks: z.boolean().optional(),
  policyOverrides: z.boolean().optional(),
})
export type UpdateTeamAccess = z.output<typeof UpdateTeamAccess>

export const AddTeamAccess = UpdateTeamAccess.extend({
  access: UpdateTeamAccess.shape.access.unwrap(),
  team: toOne('teams'),
  workspace: toOne('workspaces'),
})
export type AddTeamAccess = z.output<typeof AddTeamAccess>

export const ListTeamAccessQuery = z.object({ 'filter[workspace][id]': z.string({ error: 'filter[workspace][id] is required' }) })
