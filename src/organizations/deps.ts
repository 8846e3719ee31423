import type { Accounts } from '../accounts/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import type { PlatformTables } from '../platform/db/tables.ts'
import type { Log } from '../platform/log.ts'
import type { Outbox } from '../platform/outbox/outbox.ts'
import type { AccountTables } from '../accounts/tables.ts'
import type { GrantsOf, SharesState } from './permissions/authorize.ts'
import type { OrganizationTables } from './tables.ts'

type Tables = OrganizationTables & AccountTables & PlatformTables

export type OrganizationTx = Tx<Tables>

/** Ports of the slices above: what organizations tell about workspaces and runs without knowing them. */
export type OrganizationPorts = {
  /** Runs that wait, and runs that a worker is busy with. */
  runCounts(organizationId: string): Promise<{ pending: number; running: number }>
  /** Workspaces per project id; absent means none. */
  workspaceCounts(projectIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  sharesState: SharesState
  grantsOf: GrantsOf
}

export type OrganizationDeps = OrganizationPorts & {
  db: Database<Tables>
  clock: Clock
  outbox: Pick<Outbox, 'emit'>
  accounts: Pick<Accounts, 'organizationTokens' | 'teamTokens' | 'listUsers'>
  log: Log
}
