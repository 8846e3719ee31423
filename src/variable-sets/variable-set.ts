import type { Authorize, Organizations, PermissionsOf } from '../organizations/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import type { Outbox } from '../platform/outbox/outbox.ts'
import type { Envelope } from '../platform/secrets/envelope.ts'
import type { UsedTables } from '../workspaces/index.ts'
import type { VariableSetTables } from './tables.ts'

type Tables = VariableSetTables & UsedTables

export type VariableSetTx = Tx<Tables>
/** A database or a transaction, for reading. */
export type VariableSetReader = Pick<VariableSetTx, 't' | 'select' | '$count'>
export type VariableSetRow = VariableSetTables['variableSets']['$inferSelect']
export type SetVariableRow = VariableSetTables['variableSetVariables']['$inferSelect']

/** What a set can be applied to. */
export type Target = 'workspaces' | 'projects'

export type VariableSetDeps = {
  db: Database<Tables>
  clock: Clock
  outbox: Pick<Outbox, 'emit'>
  envelope: Envelope
  authorize: Authorize
  permissionsOf: PermissionsOf
  getOrganization: Organizations['getOrganization']
  getProject: Organizations['getProject']
}

/** A set as one actor sees it: all that the resource is made of. */
export type VariableSetView = {
  row: VariableSetRow
  organizationName: string
  variableIds: readonly string[]
  workspaceIds: readonly string[]
  projectIds: readonly string[]
  mayChange: boolean
}
