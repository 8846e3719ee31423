import { z } from 'zod'
import { commaList } from '../../api/index.ts'

const name = z
  .string()
  .min(1)
  .max(90)
  .regex(/^[\w-]([\w -]*[\w-])?$/, { error: 'Name may only contain letters, numbers, inner spaces, dashes and underscores' })
const flag = z.boolean().nullish()

export const UpdateTeam = z.object({
  name: name.optional(),
  visibility: z.enum(['secret', 'organization']).optional(),
  /** Null clears. */
  ssoTeamId: z.string().max(255).nullish(),
  allowMemberTokenManagement: z.boolean().optional(),
  /** Absent members stay. */
  organizationAccess: z
    .object({
      managePolicies: flag,
      managePolicyOverrides: flag,
      delegatePolicyOverrides: flag,
      manageWorkspaces: flag,
      manageVcsSettings: flag,
      manageProviders: flag,
      manageModules: flag,
      manageRunTasks: flag,
      manageProjects: flag,
      readWorkspaces: flag,
      readProjects: flag,
      manageMembership: flag,
      manageTeams: flag,
      manageOrganizationAccess: flag,
      accessSecretTeams: flag,
      manageAgentPools: flag,
    })
    .nullish(),
})
export type UpdateTeam = z.output<typeof UpdateTeam>

export const CreateTeam = UpdateTeam.extend({ name })
export type CreateTeam = z.output<typeof CreateTeam>

export const ListTeamsQuery = z.object({ q: z.string().max(255).optional(), 'filter[names]': commaList.optional() })

const sorts = ['team-name', 'created-by', 'expired-at', 'last-used-at'] as const
export const ListTeamTokensQuery = z.object({
  q: z.string().max(255).optional(),
  sort: z.enum([...sorts, ...sorts.map((sort) => `-${sort}` as const)]).optional(),
})
export type TeamTokenSort = z.output<typeof ListTeamTokensQuery>['sort']
