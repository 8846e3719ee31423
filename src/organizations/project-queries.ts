import { and, asc, count, desc, eq, exists, inArray, sql } from 'drizzle-orm'
import { contains } from '../platform/db/contains.ts'
import type { Tx } from '../platform/db/database.ts'
import type { ProjectRow } from './project.ts'
import type { OrganizationReader } from './queries.ts'
import type { OrganizationTables } from './tables.ts'
import type { Tagged } from './tags/parse-tagged.ts'

type Writer = Tx<OrganizationTables>

export type ProjectFilter = {
  /** Wins over `q`; in whatever case. */ names?: readonly string[] | undefined
  q?: string | undefined
  sort?: 'name' | '-name' | undefined
  /** All of these; without a value any value will do. */
  tagged?: readonly Tagged[] | undefined
}

const projectParts = ({ projects, organizations }: OrganizationTables) => ({
  row: projects,
  organizationName: organizations.name,
  defaultExecutionMode: organizations.defaultExecutionMode,
})

export const listProjectsById = async (reader: OrganizationReader, ids: readonly string[]) => {
  const { projects, organizations } = reader.t
  return reader
    .select(projectParts(reader.t))
    .from(projects)
    .innerJoin(organizations, eq(organizations.id, projects.organizationId))
    .where(inArray(projects.id, [...ids]))
}

/** `total` counts all that are visible, `matching` those that pass the filter. */
export const listProjectsOfOrganization = async (
  reader: OrganizationReader,
  organizationId: string,
  filter: ProjectFilter & { visible: 'all' | readonly string[] },
  page: { size: number; offset: number },
) => {
  const { projects, organizations } = reader.t
  const isOurs = and(
    eq(projects.organizationId, organizationId),
    filter.visible === 'all' ? undefined : inArray(projects.id, [...filter.visible]),
  )
  const isWanted = and(isOurs, matches(reader.t, filter), ...(filter.tagged ?? []).map((tag) => exists(carrying(reader, tag))))
  const counted = async (where: typeof isWanted): Promise<number> => {
    const [row] = await reader.select({ projects: count() }).from(projects).where(where)
    return row?.projects ?? 0
  }
  const items = await reader
    .select(projectParts(reader.t))
    .from(projects)
    .innerJoin(organizations, eq(organizations.id, projects.organizationId))
    .where(isWanted)
    .orderBy(filter.sort === '-name' ? desc(projects.nameKey) : asc(projects.nameKey))
    .limit(page.size)
    .offset(page.offset)
  return { items, total: await counted(isOurs), matching: await counted(isWanted) }
}

const matches = ({ projects }: OrganizationTables, { names, q }: ProjectFilter) => {
  if (names !== undefined) {
    return inArray(
      projects.nameKey,
      names.map((name) => name.toLowerCase()),
    )
  }
  return q === undefined ? undefined : contains(projects.name, q)
}

const carrying = (reader: OrganizationReader, { key, value }: Tagged) => {
  const { projectTagBindings: bindings, projects } = reader.t
  const hasValue = value === undefined ? undefined : eq(bindings.value, value)
  return reader
    .select({ one: sql`1` })
    .from(bindings)
    .where(and(eq(bindings.projectId, projects.id), eq(bindings.key, key), hasValue))
}

export const insertProject = async (tx: Writer, row: ProjectRow): Promise<void> => {
  await tx.insert(tx.t.projects).values(row)
}

export const lockProject = async (tx: Writer, id: string): Promise<ProjectRow | undefined> => {
  const [row] = await tx.forUpdate(tx.select().from(tx.t.projects).where(eq(tx.t.projects.id, id)))
  return row
}

export const saveProject = async (tx: Writer, { id, ...changes }: ProjectRow): Promise<void> => {
  await tx.update(tx.t.projects).set(changes).where(eq(tx.t.projects.id, id))
}

export const deleteProjectRow = async (tx: Writer, id: string): Promise<void> => {
  await tx.delete(tx.t.projects).where(eq(tx.t.projects.id, id))
}
