import { newId } from '../../platform/ids.ts'
import type { OrganizationTables } from '../tables.ts'

export type TeamRow = OrganizationTables['teams']['$inferSelect']

/** Name of the team that every organization has. */
export const OWNERS = 'owners'

export type Member = { teamId: string; userId: string; membershipId: string }

/** A team as one actor sees it: all that the resource is made of. */
export type TeamView = {
  row: TeamRow
  organizationName: string
  members: readonly Member[]
  may: { destroy: boolean; changeMembers: boolean; changeAccess: boolean; manageTokens: boolean }
}

type NewTeam = Pick<TeamRow, 'organizationId' | 'name'> & Partial<TeamRow> & { now: Date }

export const newTeamRow = ({ now, ...given }: NewTeam): TeamRow => ({
  id: newId('team'),
  nameKey: given.name.toLowerCase(),
  isOwners: false,
  visibility: 'secret',
  ssoTeamId: null,
  allowMemberTokenManagement: true,
  organizationAccess: [],
  createdAt: now,
  updatedAt: now,
  ...given,
})
