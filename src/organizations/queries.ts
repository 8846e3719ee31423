import { and, asc, count, eq, inArray, or, sql } from 'drizzle-orm'
import { contains } from '../platform/db/contains.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import type { OrganizationRow } from './organization.ts'
import type { OrganizationTables } from './tables.ts'

/** A database or a transaction, for reading. */
export type OrganizationReader = Pick<Tx<OrganizationTables>, 't' | 'select'>
type Writer = Tx<OrganizationTables>

const membershipFields = (t: OrganizationTables) => ({ role: t.memberships.role, userTokensEnabled: t.organizations.userTokensEnabled })

export const findMembership = async (reader: OrganizationReader, organizationId: string, userId: string) => {
  const { memberships, organizations } = reader.t
  const [row] = await reader
    .select(membershipFields(reader.t))
    .from(memberships)
    .innerJoin(organizations, eq(organizations.id, memberships.organizationId))
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.userId, userId)))
  return row
}

/** The same, planned once: every request of a user token asks it. */
export const prepareFindMembership = (db: Database<OrganizationTables>) => {
  const { memberships, organizations } = db.t
  const prepared = db.prepare('organizations_find_membership', (q) =>
    q
      .select(membershipFields(db.t))
      .from(memberships)
      .innerJoin(organizations, eq(organizations.id, memberships.organizationId))
      .where(and(eq(memberships.organizationId, sql.placeholder('organizationId')), eq(memberships.userId, sql.placeholder('userId')))),
  )
  return async (organizationId: string, userId: string) => {
    const [row] = await prepared.execute({ organizationId, userId })
    return row
  }
}

const organizationFields = (t: OrganizationTables) => ({ row: t.organizations, defaultProjectId: t.projects.id })
const hasDefaultProject = (t: OrganizationTables) => and(eq(t.projects.organizationId, t.organizations.id), eq(t.projects.isDefault, true))

/** By name in whatever case, planned once: most paths begin with it. */
export const prepareFindOrganizationByName = (db: Database<OrganizationTables>) => {
  const { organizations, projects } = db.t
  const prepared = db.prepare('organizations_find_by_name', (q) =>
    q
      .select(organizationFields(db.t))
      .from(organizations)
      .innerJoin(projects, hasDefaultProject(db.t))
      .where(eq(organizations.nameKey, sql.placeholder('nameKey'))),
  )
  return async (name: string) => {
    const [found] = await prepared.execute({ nameKey: name.toLowerCase() })
    return found
  }
}

export const findOrganization = async (reader: OrganizationReader, id: string) => {
  const { organizations, projects } = reader.t
  const [found] = await reader
    .select(organizationFields(reader.t))
    .from(organizations)
    .innerJoin(projects, hasDefaultProject(reader.t))
    .where(eq(organizations.id, id))
  return found
}

export const listOrganizationsByName = async (reader: OrganizationReader, names: readonly string[]) => {
  const { organizations, projects } = reader.t
  return reader
    .select(organizationFields(reader.t))
    .from(organizations)
    .innerJoin(projects, hasDefaultProject(reader.t))
    .where(
      inArray(
        organizations.nameKey,
        names.map((name) => name.toLowerCase()),
      ),
    )
}

export const lockOrganization = async (tx: Writer, id: string): Promise<OrganizationRow | undefined> => {
  const [row] = await tx.forUpdate(tx.select().from(tx.t.organizations).where(eq(tx.t.organizations.id, id)))
  return row
}

/** Those that the user is a member of and that accept user tokens, by name. `q` is looked for in name and e-mail. */
export const listOrganizationsOfUser = async (
  reader: OrganizationReader,
  userId: string,
  q: string | undefined,
  page?: { size: number; offset: number },
) => {
  const { organizations, projects, memberships } = reader.t
  const isWanted = and(
    eq(memberships.userId, userId),
    eq(organizations.userTokensEnabled, true),
    q === undefined ? undefined : or(contains(organizations.name, q), contains(organizations.email, q)),
  )
  const rows = reader
    .select({ ...organizationFields(reader.t), role: memberships.role })
    .from(memberships)
    .innerJoin(organizations, eq(organizations.id, memberships.organizationId))
    .innerJoin(projects, hasDefaultProject(reader.t))
    .where(isWanted)
    .orderBy(asc(organizations.nameKey))
  if (page === undefined) {
    const all = await rows
    return { rows: all, total: all.length }
  }
  const [counted] = await reader
    .select({ total: count() })
    .from(memberships)
    .innerJoin(organizations, eq(organizations.id, memberships.organizationId))
    .where(isWanted)
  return { rows: await rows.limit(page.size).offset(page.offset), total: counted?.total ?? 0 }
}

export const insertOrganization = async (tx: Writer, row: OrganizationRow): Promise<void> => {
  await tx.insert(tx.t.organizations).values(row)
}

export const insertMembership = async (tx: Writer, row: OrganizationTables['memberships']['$inferSelect']): Promise<void> => {
  await tx.insert(tx.t.memberships).values(row)
}

export const saveOrganization = async (tx: Writer, { id, ...changes }: OrganizationRow): Promise<void> => {
  await tx.update(tx.t.organizations).set(changes).where(eq(tx.t.organizations.id, id))
}

/** With everything in it. */
export const deleteOrganizationRow = async (tx: Writer, id: string): Promise<void> => {
  await tx.delete(tx.t.organizations).where(eq(tx.t.organizations.id, id))
}
