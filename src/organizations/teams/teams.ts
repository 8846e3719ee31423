import type { OrganizationDeps } from '../deps.ts'
import type { GetOrganization } from '../get-organization.ts'
import type { PermissionsOf } from '../permissions/authorize.ts'
import { changeMembers } from './change-members.ts'
import { manageTeamTokens } from './manage-team-tokens.ts'
import { readTeams } from './read-teams.ts'
import { writeTeams } from './write-teams.ts'

/** Teams, their members and their tokens. */
export const makeTeams = (d: OrganizationDeps, get: GetOrganization, permissionsOf: PermissionsOf) => ({
  ...readTeams(d, get, permissionsOf),
  ...writeTeams(d, get, permissionsOf),
  ...changeMembers(d, permissionsOf),
  ...manageTeamTokens(d, get, permissionsOf),
})

export type Teams = ReturnType<typeof makeTeams>
