import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/ids.ts'
import type { OrganizationTables } from '../tables.ts'
import { bindingLimit, decideBindings } from './decide-bindings.ts'
import { deleteProjectBindings, insertProjectBindings, listProjectBindings, updateProjectBindingValue } from './queries.ts'
import { readBindings } from './read-bindings.ts'

/** `add` keeps what is not named, `replace` does not. The row of the project is locked. Whether anything changed. Throws INVALID. */
export const writeProjectBindings = async (
  tx: Tx<OrganizationTables>,
  projectId: string,
  sent: Parameters<typeof readBindings>[0],
  mode: 'add' | 'replace',
): Promise<boolean> => {
  const existing = await listProjectBindings(tx, [projectId])
  const { added, changed, removed } = decideBindings(existing, readBindings(sent), mode, bindingLimit)
  const last = existing.at(-1)?.position ?? 0
  await insertProjectBindings(
    tx,
    added.map(({ key, value }, index) => ({ id: newId('tb'), projectId, key, value, position: last + index + 1 })),
  )
  for (const { key, value } of changed) await updateProjectBindingValue(tx, projectId, key, value)
  await deleteProjectBindings(tx, projectId, removed)
  return added.length + changed.length + removed.length > 0
}
