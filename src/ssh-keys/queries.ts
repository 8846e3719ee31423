import { and, asc, eq } from 'drizzle-orm'
import { type PageRequest, offsetOf } from '../platform/db/paginate.ts'
import { isId } from '../platform/ids.ts'
import type { SshKeyReader, SshKeyRow, SshKeyTx } from './ssh-key.ts'

export const findSshKey = async (reader: SshKeyReader, id: string): Promise<SshKeyRow | undefined> => {
  if (!isId(id)) return undefined
  const [row] = await reader.select().from(reader.t.sshKeys).where(eq(reader.t.sshKeys.id, id))
  return row
}

export const lockSshKey = async (tx: SshKeyTx, id: string): Promise<SshKeyRow | undefined> => {
  if (!isId(id)) return undefined
  const [row] = await tx.forUpdate(tx.select().from(tx.t.sshKeys).where(eq(tx.t.sshKeys.id, id)))
  return row
}

/** By name; without `page` all of them. */
export const listSshKeyRows = async (
  reader: SshKeyReader,
  organizationId: string,
  page: PageRequest | undefined,
): Promise<{ items: SshKeyRow[]; total: number }> => {
  const { sshKeys } = reader.t
  const isOurs = eq(sshKeys.organizationId, organizationId)
  const rows = reader.select().from(sshKeys).where(isOurs).orderBy(asc(sshKeys.name), asc(sshKeys.id))
  if (page !== undefined) {
    return { items: await rows.limit(page.size).offset(offsetOf(page)), total: await reader.$count(sshKeys, isOurs) }
  }
  const items = await rows
  return { items, total: items.length }
}

export const insertSshKey = async (tx: SshKeyTx, row: SshKeyRow): Promise<void> => {
  await tx.insert(tx.t.sshKeys).values(row)
}

export const saveSshKey = async (tx: SshKeyTx, { id, ...changes }: SshKeyRow): Promise<void> => {
  await tx.update(tx.t.sshKeys).set(changes).where(eq(tx.t.sshKeys.id, id))
}

export const deleteSshKeyRow = async (tx: SshKeyTx, id: string): Promise<void> => {
  await tx.delete(tx.t.sshKeys).where(eq(tx.t.sshKeys.id, id))
}

/** Ids of the workspaces that use the key, locked in their order. */
export const lockWorkspacesWithKey = async (tx: SshKeyTx, { id, organizationId }: SshKeyRow): Promise<string[]> => {
  const { workspaces } = tx.t
  const rows = await tx.forUpdate(
    tx
      .select()
      .from(workspaces)
      .where(and(eq(workspaces.organizationId, organizationId), eq(workspaces.sshKeyId, id)))
      .orderBy(asc(workspaces.id)),
  )
  return rows.map((row) => row.id)
}
