import { z } from 'zod'
import { type Resource, linkOne, resourceType } from '../../api/index.ts'
import { accessLevels } from '../../organizations/index.ts'
import type { TeamAccessRow } from './team-access.ts'

export const teamAccessType = resourceType('team-workspaces', {
  attributes: z.object({
    access: z.enum(accessLevels),
    runs: z.enum(['read', 'plan', 'apply']),
    variables: z.enum(['none', 'read', 'write']),
    'state-versions': z.enum(['none', 'read-outputs', 'read', 'write']),
    'sentinel-mocks': z.enum(['none', 'read']),
    'workspace-locking': z.boolean(),
    'run-tasks': z.boolean(),
    'policy-overrides': z.boolean(),
  }),
  relationships: { team: { one: 'teams' }, workspace: { one: 'workspaces' } },
})

export const teamAccessResource = ({ id, teamId, workspaceId, access }: TeamAccessRow): Resource =>
  teamAccessType.of({
    id,
    attributes: {
      access: access.level,
      runs: access.runs,
      variables: access.variables,
      'state-versions': access.stateVersions,
      'sentinel-mocks': access.sentinelMocks,
      'workspace-locking': access.workspaceLocking,
      'run-tasks': access.runTasks,
      'policy-overrides': access.policyOverrides,
    },
    relationships: { team: linkOne('teams', teamId), workspace: linkOne('workspaces', workspaceId) },
    links: { self: `/api/v2/team-workspaces/${id}` },
  })
