import type { OrganizationReader } from '../queries.ts'
import { findOrganization } from '../queries.ts'
import { listMembers } from './queries.ts'
import { type TeamRights, mayChange, mayManageTokens } from './team-rights.ts'
import type { TeamRow, TeamView } from './team.ts'

/** What the resources of teams of one organization need. */
export const loadTeamViews = async (reader: OrganizationReader, rights: TeamRights, teams: readonly TeamRow[]): Promise<TeamView[]> => {
  const [first] = teams
  if (first === undefined) return []
  const organization = await findOrganization(reader, first.organizationId)
  const members = await listMembers(
    reader,
    teams.map(({ id }) => id),
  )
  return teams.map((row) => ({
    row,
    organizationName: organization?.row.name ?? '',
    members: members.filter(({ teamId }) => teamId === row.id),
    may: {
      destroy: !row.isOwners && mayChange(rights, row, 'team:write'),
      changeMembers: mayChange(rights, row, 'team:membership'),
      changeAccess: !row.isOwners && mayChange(rights, row, 'team:organization-access'),
      manageTokens: mayManageTokens(rights, row),
    },
  }))
}
