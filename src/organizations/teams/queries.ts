import { and, asc, count, desc, eq, inArray, or } from 'drizzle-orm'
import type { AccountTables } from '../../accounts/tables.ts'
import { contains } from '../../platform/db/contains.ts'
import type { Tx } from '../../platform/db/database.ts'
import { type PageRequest, offsetOf } from '../../platform/db/paginate.ts'
import { isId } from '../../platform/ids.ts'
import type { OrganizationReader } from '../queries.ts'
import type { OrganizationTables } from '../tables.ts'
import type { TeamTokenSort } from './schemas.ts'
import type { Member, TeamRow } from './team.ts'

type Writer = Tx<OrganizationTables>
type TokenReader = Pick<Tx<OrganizationTables & AccountTables>, 't' | 'select'>

export const findTeam = async (reader: OrganizationReader, id: string): Promise<TeamRow | undefined> => {
  if (!isId(id)) return undefined
  const [row] = await reader.select().from(reader.t.teams).where(eq(reader.t.teams.id, id))
  return row
}

export const lockTeam = async (tx: Writer, id: string): Promise<TeamRow | undefined> => {
  const [row] = await tx.forUpdate(tx.select().from(tx.t.teams).where(eq(tx.t.teams.id, id)))
  return row
}

/** Those of the organization that the user is a member of. */
export const listTeamsOfUser = async (
  reader: OrganizationReader,
  organizationId: string,
  userId: string,
): Promise<Pick<TeamRow, 'id' | 'organizationAccess'>[]> => {
  const { teams, teamMembers } = reader.t
  return reader
    .select({ id: teams.id, organizationAccess: teams.organizationAccess })
    .from(teamMembers)
    .innerJoin(teams, eq(teams.id, teamMembers.teamId))
    .where(and(eq(teamMembers.userId, userId), eq(teams.organizationId, organizationId)))
}

export const listTeamsById = async (reader: OrganizationReader, ids: readonly string[]): Promise<TeamRow[]> =>
  reader
    .select()
    .from(reader.t.teams)
    .where(inArray(reader.t.teams.id, [...ids]))

/** Which teams an actor sees: all, or those that are visible to everybody and the ones named. */
export type VisibleTeams = 'all' | { own: readonly string[] }

export type TeamFilter = { q?: string | undefined; names?: readonly string[] | undefined; visible: VisibleTeams }

const isVisible = ({ teams }: OrganizationTables, visible: VisibleTeams) =>
  visible === 'all' ? undefined : or(eq(teams.visibility, 'organization'), inArray(teams.id, [...visible.own]))

/** By name. */
export const listTeamPage = async (
  reader: OrganizationReader,
  organizationId: string,
  { q, names, visible }: TeamFilter,
  page: PageRequest,
): Promise<{ items: TeamRow[]; total: number }> => {
  const { teams } = reader.t
  const isNamed =
    names === undefined
      ? undefined
      : inArray(
          teams.nameKey,
          names.map((name) => name.toLowerCase()),
        )
  const isFound = q === undefined ? undefined : contains(teams.name, q)
  const isWanted = and(eq(teams.organizationId, organizationId), isVisible(reader.t, visible), isNamed, isFound)
  const items = await reader.select().from(teams).where(isWanted).orderBy(asc(teams.nameKey)).limit(page.size).offset(offsetOf(page))
  const [counted] = await reader.select({ teams: count() }).from(teams).where(isWanted)
  return { items, total: counted?.teams ?? 0 }
}

/** Of several teams, with the memberships of their organizations. */
export const listMembers = async (reader: OrganizationReader, teamIds: readonly string[]): Promise<Member[]> => {
  const { teams, teamMembers, memberships } = reader.t
  return reader
    .select({ teamId: teamMembers.teamId, userId: teamMembers.userId, membershipId: memberships.id })
    .from(teamMembers)
    .innerJoin(teams, eq(teams.id, teamMembers.teamId))
    .innerJoin(memberships, and(eq(memberships.organizationId, teams.organizationId), eq(memberships.userId, teamMembers.userId)))
    .where(inArray(teamMembers.teamId, [...teamIds]))
    .orderBy(asc(memberships.createdAt), asc(memberships.id))
}

export const insertTeam = async (tx: Writer, row: TeamRow): Promise<void> => {
  await tx.insert(tx.t.teams).values(row)
}

export const saveTeam = async (tx: Writer, { id, ...changes }: TeamRow): Promise<void> => {
  await tx.update(tx.t.teams).set(changes).where(eq(tx.t.teams.id, id))
}

export const deleteTeamRow = async (tx: Writer, id: string): Promise<void> => {
  await tx.delete(tx.t.teams).where(eq(tx.t.teams.id, id))
}

/** Those who are members already stay. */
export const insertTeamMembers = async (tx: Writer, teamId: string, userIds: readonly string[]): Promise<void> => {
  if (userIds.length === 0) return
  await tx
    .insert(tx.t.teamMembers)
    .values(userIds.map((userId) => ({ teamId, userId })))
    .onConflictDoNothing()
}

export const deleteTeamMembers = async (tx: Writer, teamId: string, userIds: readonly string[]): Promise<void> => {
  const { teamMembers } = tx.t
  await tx.delete(teamMembers).where(and(eq(teamMembers.teamId, teamId), inArray(teamMembers.userId, [...userIds])))
}

export const countMembers = async (reader: OrganizationReader, teamId: string): Promise<number> => {
  const { teamMembers } = reader.t
  const [counted] = await reader.select({ members: count() }).from(teamMembers).where(eq(teamMembers.teamId, teamId))
  return counted?.members ?? 0
}

/** Users by name, in whatever case. */
export const listUsersByName = async (reader: TokenReader, names: readonly string[]): Promise<{ id: string; nameKey: string }[]> => {
  const { users } = reader.t
  return reader
    .select({ id: users.id, nameKey: users.usernameKey })
    .from(users)
    .where(
      inArray(
        users.usernameKey,
        names.map((name) => name.toLowerCase()),
      ),
    )
}

export const listMembershipsById = async (
  reader: OrganizationReader,
  organizationId: string,
  ids: readonly string[],
): Promise<{ id: string; userId: string }[]> => {
  const { memberships } = reader.t
  return reader
    .select({ id: memberships.id, userId: memberships.userId })
    .from(memberships)
    .where(and(eq(memberships.organizationId, organizationId), inArray(memberships.id, [...ids])))
}

/** Makes the users members of the organization; those who are stay what they are. */
export const ensureMemberships = async (tx: Writer, rows: readonly OrganizationTables['memberships']['$inferSelect'][]): Promise<void> => {
  if (rows.length > 0)
    await tx
      .insert(tx.t.memberships)
      .values([...rows])
      .onConflictDoNothing()
}

export const setRole = async (tx: Writer, organizationId: string, userIds: readonly string[], role: 'owner' | 'member'): Promise<void> => {
  const { memberships } = tx.t
  await tx
    .update(memberships)
    .set({ role })
    .where(and(eq(memberships.organizationId, organizationId), inArray(memberships.userId, [...userIds])))
}

/** Tokens of the teams that are given, or of all of the organization. `q`: part of the name of the team. */
export const listTeamTokenPage = async (
  reader: TokenReader,
  organizationId: string,
  { teamIds, q, sort = 'team-name' }: { teamIds: 'all' | readonly string[]; q: string | undefined; sort: TeamTokenSort },
  page: PageRequest,
) => {
  const { tokens, teams, users } = reader.t
  const isWanted = and(
    eq(teams.organizationId, organizationId),
    eq(tokens.kind, 'team'),
    teamIds === 'all' ? undefined : inArray(teams.id, [...teamIds]),
    q === undefined ? undefined : contains(teams.name, q),
  )
  const columns = {
    'team-name': teams.nameKey,
    'created-by': users.usernameKey,
    'expired-at': tokens.expiresAt,
    'last-used-at': tokens.lastUsedAt,
  }
  const isDown = sort.startsWith('-')
  // safe because the names of the sorts are those of the columns, with a dash before them or not
  const column = columns[(isDown ? sort.slice(1) : sort) as keyof typeof columns]
  const rows = await reader
    .select({ token: tokens })
    .from(tokens)
    .innerJoin(teams, eq(teams.id, tokens.teamId))
    .leftJoin(users, eq(users.id, tokens.createdByUserId))
    .where(isWanted)
    .orderBy(isDown ? desc(column) : asc(column), asc(tokens.createdAt), asc(tokens.id))
    .limit(page.size)
    .offset(offsetOf(page))
  const [counted] = await reader.select({ tokens: count() }).from(tokens).innerJoin(teams, eq(teams.id, tokens.teamId)).where(isWanted)
  return { items: rows.map(({ token }) => token), total: counted?.tokens ?? 0 }
}
