import { and, asc, desc, eq, inArray, isNull, lt, max, ne, or } from 'drizzle-orm'
import { isId } from '../platform/ids.ts'
import type { StateDb, StateOutput, StateReader, StateTx, StateVersion } from './state-version.ts'
import type { StateTables } from './tables.ts'

export type NewStateVersion = StateTables['stateVersions']['$inferInsert']
export type Status = StateVersion['status']

export const findStateVersion = async (reader: StateReader, id: string): Promise<StateVersion | undefined> => {
  if (!isId(id)) return undefined
  const { stateVersions } = reader.t
  const [row] = await reader.select().from(stateVersions).where(eq(stateVersions.id, id))
  return row
}

export const listStateVersionsById = async (reader: StateReader, ids: readonly string[]): Promise<StateVersion[]> => {
  if (ids.length === 0) return []
  const { stateVersions } = reader.t
  return reader
    .select()
    .from(stateVersions)
    .where(inArray(stateVersions.id, [...ids]))
}

/** The version that the workspace points at. */
export const findCurrent = async (reader: StateReader, workspaceId: string): Promise<StateVersion | undefined> => {
  const { stateVersions, workspaces } = reader.t
  const [row] = await reader
    .select({ version: stateVersions })
    .from(workspaces)
    .innerJoin(stateVersions, eq(stateVersions.id, workspaces.currentStateVersionId))
    .where(eq(workspaces.id, workspaceId))
  return row?.version
}

/** The newest finalized version, snapshots under the lock included. */
export const findTip = async (reader: StateReader, workspaceId: string): Promise<StateVersion | undefined> => {
  const { stateVersions } = reader.t
  const [row] = await reader
    .select()
    .from(stateVersions)
    .where(and(eq(stateVersions.workspaceId, workspaceId), eq(stateVersions.status, 'finalized')))
    .orderBy(desc(stateVersions.position))
    .limit(1)
  return row
}

/** The newest finalized snapshot under the lock, of one run if that is given. */
export const findNewestSnapshot = async (reader: StateReader, workspaceId: string, runId?: string): Promise<StateVersion | undefined> => {
  const { stateVersions } = reader.t
  const [row] = await reader
    .select()
    .from(stateVersions)
    .where(
      and(
        eq(stateVersions.workspaceId, workspaceId),
        eq(stateVersions.status, 'finalized'),
        eq(stateVersions.isIntermediate, true),
        runId === undefined ? undefined : eq(stateVersions.runId, runId),
      ),
    )
    .orderBy(desc(stateVersions.position))
    .limit(1)
  return row
}

/** The version that nobody discarded and that was created last. */
export const findNewest = async (reader: StateReader, workspaceId: string): Promise<StateVersion | undefined> => {
  const { stateVersions } = reader.t
  const [row] = await reader
    .select()
    .from(stateVersions)
    .where(and(eq(stateVersions.workspaceId, workspaceId), ne(stateVersions.status, 'discarded')))
    .orderBy(desc(stateVersions.position))
    .limit(1)
  return row
}

/** Newest first; without `statuses` everything but the discarded ones. */
export const listStateVersions = async (
  db: StateDb,
  workspaceId: string,
  statuses: readonly Status[] | undefined,
  page: { size: number; offset: number },
): Promise<{ items: StateVersion[]; total: number }> => {
  const { stateVersions } = db.t
  const where = and(
    eq(stateVersions.workspaceId, workspaceId),
    statuses === undefined ? ne(stateVersions.status, 'discarded') : inArray(stateVersions.status, [...statuses]),
  )
  const items = await db
    .select()
    .from(stateVersions)
    .where(where)
    .orderBy(desc(stateVersions.position))
    .limit(page.size)
    .offset(page.offset)
  return { items, total: await db.$count(stateVersions, where) }
}

/** Finalized versions that nobody has looked into; snapshots of runs wait for their promotion. Oldest first. */
export const listUnprocessed = async (db: StateDb): Promise<string[]> => {
  const { stateVersions } = db.t
  const rows = await db
    .select({ id: stateVersions.id })
    .from(stateVersions)
    .where(
      and(
        eq(stateVersions.status, 'finalized'),
        eq(stateVersions.areResourcesProcessed, false),
        or(eq(stateVersions.isIntermediate, false), isNull(stateVersions.runId)),
      ),
    )
    .orderBy(asc(stateVersions.createdAt))
  return rows.map(({ id }) => id)
}

/** Inserts behind all other versions of the workspace, whose row is locked. */
export const insertStateVersion = async (tx: StateTx, values: Omit<NewStateVersion, 'position'>): Promise<StateVersion> => {
  const { stateVersions } = tx.t
  const [newest] = await tx
    .select({ position: max(stateVersions.position) })
    .from(stateVersions)
    .where(eq(stateVersions.workspaceId, values.workspaceId))
  const rows = await tx
    .insert(stateVersions)
    .values({ ...values, position: (newest?.position ?? 0) + 1 })
    .returning()
  // safe because an insert that does not throw returns its row
  return rows[0] as StateVersion
}

export const updateStateVersion = async (tx: StateTx, id: string, changes: Partial<StateVersion>): Promise<StateVersion> => {
  const { stateVersions } = tx.t
  const [row] = await tx.update(stateVersions).set(changes).where(eq(stateVersions.id, id)).returning()
  if (row === undefined) throw new Error(`state version ${id} vanished while its workspace was locked`)
  return row
}

/** Uploads that somebody asked for before `position` and that can no longer matter. */
export const discardPending = async (tx: StateTx, workspaceId: string, beforePosition: number): Promise<void> => {
  const { stateVersions } = tx.t
  await tx
    .update(stateVersions)
    .set({ status: 'discarded' })
    .where(and(eq(stateVersions.workspaceId, workspaceId), eq(stateVersions.status, 'pending'), lt(stateVersions.position, beforePosition)))
}

/** All snapshots under the lock, and all uploads that did not come. */
export const discardSnapshots = async (tx: StateTx, workspaceId: string): Promise<void> => {
  const { stateVersions } = tx.t
  await tx
    .update(stateVersions)
    .set({ status: 'discarded' })
    .where(and(eq(stateVersions.workspaceId, workspaceId), ne(stateVersions.status, 'discarded'), eq(stateVersions.isIntermediate, true)))
}

const BATCH = 500

export const insertOutputs = async (tx: StateTx, rows: readonly StateOutput[]): Promise<void> => {
  for (let at = 0; at < rows.length; at += BATCH) await tx.insert(tx.t.stateOutputs).values(rows.slice(at, at + BATCH))
}

export const countOutputs = (reader: StateReader, stateVersionId: string): Promise<number> => {
  const { stateOutputs } = reader.t
  return Promise.resolve(reader.$count(stateOutputs, eq(stateOutputs.stateVersionId, stateVersionId)))
}

export const listOutputs = async (
  reader: StateReader,
  stateVersionId: string,
  page: { size: number; offset: number },
): Promise<{ items: StateOutput[]; total: number }> => {
  const { stateOutputs } = reader.t
  const where = eq(stateOutputs.stateVersionId, stateVersionId)
  const items = await reader
    .select()
    .from(stateOutputs)
    .where(where)
    .orderBy(asc(stateOutputs.position))
    .limit(page.size)
    .offset(page.offset)
  return { items, total: await countOutputs(reader, stateVersionId) }
}

/** Outputs with the workspace they belong to. */
export const listOutputsById = async (
  reader: StateReader,
  ids: readonly string[],
): Promise<{ output: StateOutput; version: StateVersion }[]> => {
  const known = ids.filter(isId)
  if (known.length === 0) return []
  const { stateOutputs, stateVersions } = reader.t
  return reader
    .select({ output: stateOutputs, version: stateVersions })
    .from(stateOutputs)
    .innerJoin(stateVersions, eq(stateVersions.id, stateOutputs.stateVersionId))
    .where(inArray(stateOutputs.id, known))
}

/** Ids of the outputs by state version, in the order of the state. */
export const listOutputIds = async (reader: StateReader, stateVersionIds: readonly string[]): Promise<Map<string, string[]>> => {
  const byVersion = new Map<string, string[]>()
  if (stateVersionIds.length === 0) return byVersion
  const { stateOutputs } = reader.t
  const rows = await reader
    .select({ id: stateOutputs.id, stateVersionId: stateOutputs.stateVersionId })
    .from(stateOutputs)
    .where(inArray(stateOutputs.stateVersionId, [...stateVersionIds]))
    .orderBy(asc(stateOutputs.position))
  for (const { id, stateVersionId } of rows) byVersion.set(stateVersionId, [...(byVersion.get(stateVersionId) ?? []), id])
  return byVersion
}
