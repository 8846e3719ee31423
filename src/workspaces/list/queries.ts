import { type SQL, and, asc, desc, eq, exists, inArray, isNull, notExists, or, sql } from 'drizzle-orm'
import { type PageRequest, offsetOf } from '../../platform/db/paginate.ts'
import type { CurrentRunSql } from '../ports.ts'
import { selectWorkspaces } from '../queries.ts'
import type { Workspace, WorkspaceReader } from '../workspace.ts'
import type { Visible, WorkspaceFilter, WorkspaceSort } from './filter.ts'
import { containsPattern, wildcardPattern } from './like-pattern.ts'

export type WorkspaceListQuery = { organizationId: string; visible: Visible; filter: WorkspaceFilter; sort: WorkspaceSort }

/** The query of one page, to be awaited. */
export const selectWorkspacePage = (
  reader: WorkspaceReader,
  currentRun: CurrentRunSql,
  query: WorkspaceListQuery,
  page: PageRequest,
  where = whereOf(reader, currentRun, query),
) =>
  selectWorkspaces(reader)
    .where(where)
    .orderBy(...orderOf(reader, currentRun, query.sort))
    .limit(page.size)
    .offset(offsetOf(page))

/** One page, and how many there are in all: two queries. */
export const listWorkspacePage = async (
  reader: WorkspaceReader,
  currentRun: CurrentRunSql,
  query: WorkspaceListQuery,
  page: PageRequest,
): Promise<{ items: Workspace[]; total: number }> => {
  const where = whereOf(reader, currentRun, query)
  const total = await reader.$count(reader.t.workspaces, where)
  const items = total === 0 ? [] : await selectWorkspacePage(reader, currentRun, query, page, where)
  return { items, total }
}

const whereOf = (
  reader: WorkspaceReader,
  currentRun: CurrentRunSql,
  { organizationId, visible, filter }: WorkspaceListQuery,
): SQL | undefined => {
  const { workspaces } = reader.t
  const like = (pattern: string): SQL => sql`${workspaces.nameKey} like ${pattern.toLowerCase()} escape '\\'`
  return and(
    eq(workspaces.organizationId, organizationId),
    visible === 'all' ? undefined : inArray(workspaces.id, [...visible]),
    filter.name === undefined ? undefined : like(containsPattern(filter.name)),
    filter.wildcardName === undefined ? undefined : like(wildcardPattern(filter.wildcardName)),
    filter.projectIds === undefined ? undefined : inArray(workspaces.projectId, [...filter.projectIds]),
    filter.currentRunStatuses === undefined ? undefined : currentRun.hasStatus(workspaces.currentRunId, filter.currentRunStatuses),
    ...(filter.tags ?? []).map((key) => exists(carrying(reader, key))),
    ...(filter.excludeTags ?? []).map((key) => notExists(carrying(reader, key))),
    ...(filter.tagged ?? []).map(({ key, value }) => or(exists(carrying(reader, key, value)), inheriting(reader, key, value))),
  )
}

/** The binding of the workspace of the outer query: one look into the unique index. */
const carrying = (reader: WorkspaceReader, key: string, value?: string) => {
  const { tagBindings, workspaces } = reader.t
  const hasValue = value === undefined ? undefined : eq(tagBindings.value, value)
  return reader
    .select({ one: sql`1` })
    .from(tagBindings)
    .where(and(eq(tagBindings.workspaceId, workspaces.id), eq(tagBindings.key, key), hasValue))
}

/** The project has it, and the workspace has no binding of its own with the key. */
const inheriting = (reader: WorkspaceReader, key: string, value: string | undefined): SQL | undefined => {
  const { projectTagBindings: bindings, workspaces } = reader.t
  const hasValue = value === undefined ? undefined : eq(bindings.value, value)
  const ofProject = reader
    .select({ one: sql`1` })
    .from(bindings)
    .where(and(eq(bindings.projectId, workspaces.projectId), eq(bindings.key, key), hasValue))
  return and(exists(ofProject), notExists(carrying(reader, key)))
}

const orderOf = ({ t: { workspaces } }: WorkspaceReader, currentRun: CurrentRunSql, sort: WorkspaceSort): SQL[] => {
  const direction = sort.startsWith('-') ? desc : asc
  if (sort === 'created-at') return [asc(workspaces.createdAt), asc(workspaces.id)]
  if (sort === 'name' || sort === '-name') return [direction(workspaces.nameKey)]
  if (sort === 'latest-change-at' || sort === '-latest-change-at') return [direction(workspaces.latestChangeAt), direction(workspaces.id)]
  const { currentRunId } = workspaces
  return [asc(isNull(currentRunId)), direction(currentRun.createdAt(currentRunId)), asc(workspaces.id)]
}
