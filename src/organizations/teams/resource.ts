import { z } from 'zod'
import { type Resource, linkMany, linkOne, linkOnly, resourceType } from '../../api/index.ts'
import { organizationAccess } from '../permissions/organization-access.ts'
import type { TeamView } from './team.ts'

const flag = z.boolean()

export const teamType = resourceType('teams', {
  attributes: z.object({
    name: z.string(),
    'users-count': z.int(),
    visibility: z.enum(['secret', 'organization']),
    'sso-team-id': z.string().nullable(),
    'allow-member-token-management': flag,
    'is-unified': flag,
    'organization-access': z.object(Object.fromEntries(organizationAccess.map((name) => [name, flag]))),
    permissions: z.object({
      'can-destroy': flag,
      'can-update-membership': flag,
      'can-update-organization-access': flag,
      'can-update-api-token': flag,
      'can-update-visibility': flag,
    }),
  }),
  relationships: {
    organization: { one: 'organizations' },
    users: { many: 'users' },
    'organization-memberships': { many: 'organization-memberships' },
    'authentication-token': 'link',
  },
})

/** Owners have everything, whatever is written of their team. */
export const teamResource = ({ row, organizationName, members, may }: TeamView): Resource =>
  teamType.of({
    id: row.id,
    attributes: {
      name: row.name,
      'users-count': members.length,
      visibility: row.visibility,
      'sso-team-id': row.ssoTeamId,
      'allow-member-token-management': row.allowMemberTokenManagement,
      'is-unified': false,
      'organization-access': Object.fromEntries(
        organizationAccess.map((name) => [name, row.isOwners || row.organizationAccess.includes(name)]),
      ),
      permissions: {
        'can-destroy': may.destroy,
        'can-update-membership': may.changeMembers,
        'can-update-organization-access': may.changeAccess,
        'can-update-api-token': may.manageTokens,
        'can-update-visibility': may.destroy,
      },
    },
    relationships: {
      organization: linkOne('organizations', organizationName),
      users: linkMany(
        'users',
        members.map(({ userId }) => userId),
      ),
      'organization-memberships': linkMany(
        'organization-memberships',
        members.map(({ membershipId }) => membershipId),
      ),
      'authentication-token': linkOnly(`/api/v2/teams/${row.id}/authentication-token`),
    },
    links: { self: `/api/v2/teams/${row.id}` },
  })
