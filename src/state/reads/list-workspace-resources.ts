import { createHash } from 'node:crypto'
import type { Page, Resource } from '../../api/index.ts'
import type { Ctx } from '../../platform/context.ts'
import { findCurrent } from '../queries.ts'
import { workspaceResourceType } from '../resource-types.ts'
import type { StateDeps, StateVersion } from '../state-version.ts'
import type { StateResource } from '../tables.ts'
import { findAllowed } from '../../workspaces/index.ts'

const PROVIDER = /^provider\["(?:[^"/]+\/)?([^"]+)"\]/
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** The same for the same address in the same workspace, whichever version it is read from. */
const idOf = (workspaceId: string, address: string): string => {
  const digest = createHash('sha256').update(`${workspaceId} ${address}`).digest()
  return `wsr-${[...digest.subarray(0, 16)].map((byte) => BASE58[byte % BASE58.length]).join('')}`
}

type Instance = { of: StateResource; key: string | null }

const instanceResource = (version: StateVersion, { of, key }: Instance): Resource => {
  const address = `${of.module === 'root' ? '' : `${of.module}.`}${of.type}.${of.name}${key === null ? '' : `[${key}]`}`
  const day = version.createdAt.toISOString().slice(0, 10)
  return workspaceResourceType.of({
    id: idOf(version.workspaceId, address),
    attributes: {
      address,
      name: of.name,
      module: of.module,
      provider: PROVIDER.exec(of.provider)?.[1] ?? of.provider,
      'provider-type': of.type,
      'name-index': key === null ? null : String(JSON.parse(key)),
      'created-at': day,
      'updated-at': day,
      'modified-by-state-version-id': version.id,
    },
  })
}

/** Managed resource instances in the current state, in the order of the state. Errors: NOT_FOUND. */
export const listWorkspaceResources =
  (deps: Pick<StateDeps, 'db' | 'authorize'>) =>
  async (ctx: Ctx, workspaceId: string, page: Page): Promise<{ items: Resource[]; total: number }> => {
    const { row } = await findAllowed(deps, ctx, deps.db, { id: workspaceId }, 'run:read')
    const version = await findCurrent(deps.db, row.id)
    if (version === undefined) return { items: [], total: 0 }
    const managed = (version.resources ?? []).filter(({ type }) => !type.startsWith('data.'))
    const instances = managed.flatMap((of) => of.keys.map((key): Instance => ({ of, key })))
    const items = instances.slice(page.offset, page.offset + page.size).map((instance) => instanceResource(version, instance))
    return { items, total: instances.length }
  }
