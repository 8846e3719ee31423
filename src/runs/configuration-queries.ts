import { and, desc, eq, inArray, or, sql } from 'drizzle-orm'
import { offsetOf, type PageRequest } from '../platform/db/paginate.ts'
import type { Reader } from './queries.ts'
import type { ConfigurationVersionRow, RunDb, RunTx } from './run.ts'

export const findConfigurationVersion = async (db: Reader, id: string): Promise<ConfigurationVersionRow | undefined> => {
  const t = db.t.configurationVersions
  const prepared = db.prepare('runs_find_configuration', (q) =>
    q
      .select()
      .from(t)
      .where(eq(t.id, sql.placeholder('id'))),
  )
  return (await prepared.execute({ id }))[0]
}

/** The version, which nobody else changes or begins to use until the transaction ends. */
export const lockConfigurationVersion = async (tx: RunTx, id: string): Promise<ConfigurationVersionRow | undefined> => {
  const t = tx.t.configurationVersions
  const rows = await tx.forUpdate(tx.select().from(t).where(eq(t.id, id)))
  return rows[0]
}

export const listConfigurationVersionsById = (db: Reader, ids: string[]): Promise<ConfigurationVersionRow[]> =>
  Promise.resolve(db.select().from(db.t.configurationVersions).where(inArray(db.t.configurationVersions.id, ids)))

/** The newest version that a run without one may use: neither speculative nor provisional. */
export const findNewestConfigurationVersion = async (db: Reader, workspaceId: string): Promise<ConfigurationVersionRow | undefined> => {
  const t = db.t.configurationVersions
  const rows = await db
    .select()
    .from(t)
    .where(and(eq(t.workspaceId, workspaceId), eq(t.isSpeculative, false), eq(t.isProvisional, false)))
    .orderBy(desc(t.position))
    .limit(1)
  return rows[0]
}

/** The configuration of the newest run that was meant to change the workspace, with the time of that run; a saved plan counts once it is applied. */
export const findLastUsed = async (db: Reader, workspaceId: string): Promise<{ id: string; usedAt: Date } | undefined> => {
  const { runs, configurationVersions: versions } = db.t
  const isMeantToApply = or(eq(runs.isSavePlan, false), eq(runs.status, 'applied'))
  const rows = await db
    .select({ id: versions.id, usedAt: runs.createdAt })
    .from(runs)
    .innerJoin(versions, eq(versions.id, runs.configurationVersionId))
    .where(
      and(eq(runs.workspaceId, workspaceId), eq(runs.isPlanOnly, false), isMeantToApply, inArray(versions.status, ['pending', 'uploaded'])),
    )
    .orderBy(desc(runs.position))
    .limit(1)
  return rows[0]
}

export const listConfigurationVersions = async (
  db: RunDb,
  workspaceId: string,
  page: PageRequest,
): Promise<{ items: ConfigurationVersionRow[]; totalCount: number }> => {
  const t = db.t.configurationVersions
  const where = eq(t.workspaceId, workspaceId)
  const items = await db.select().from(t).where(where).orderBy(desc(t.position)).limit(page.size).offset(offsetOf(page))
  return { items, totalCount: await db.$count(t, where) }
}

export const nextConfigurationPosition = async (tx: RunTx, workspaceId: string): Promise<number> => {
  const t = tx.t.configurationVersions
  const rows = await tx
    .select({ max: sql<number | null>`max(${t.position})` })
    .from(t)
    .where(eq(t.workspaceId, workspaceId))
  return Number(rows[0]?.max ?? 0) + 1
}

export const insertConfigurationVersion = async (
  tx: RunTx,
  row: RunTx['t']['configurationVersions']['$inferInsert'],
): Promise<ConfigurationVersionRow> => {
  const rows = await tx.insert(tx.t.configurationVersions).values(row).returning()
  return rows[0]!
}

export const saveConfigurationVersion = async (tx: RunTx, id: string, patch: Partial<ConfigurationVersionRow>): Promise<void> => {
  await tx.update(tx.t.configurationVersions).set(patch).where(eq(tx.t.configurationVersions.id, id))
}

/** Whether a run uses the configuration; with `isOpen`, whether one does that has not ended. */
export const hasRunOf = async (db: Reader, configurationVersionId: string, { isOpen }: { isOpen?: true } = {}): Promise<boolean> => {
  const { runs } = db.t
  const uses = eq(runs.configurationVersionId, configurationVersionId)
  return (await db.$count(runs, isOpen === undefined ? uses : and(uses, eq(runs.isOpen, true)))) > 0
}
