import type { AccountTables } from '../accounts/tables.ts'
import type { Authorize, Permission, PermissionsOf, Teams, WorkspaceGrants } from '../organizations/index.ts'
import type { OrganizationTables } from '../organizations/tables.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import type { PlatformTables } from '../platform/db/tables.ts'
import type { EngineName } from '../platform/engine-name.ts'
import type { Outbox } from '../platform/outbox/outbox.ts'
import type { Envelope } from '../platform/secrets/envelope.ts'
import type { EngineVersions, WorkspacePorts } from './ports.ts'
import type { EffectiveBinding } from './tags/effective-bindings.ts'
import type { LockHolderKind, WorkspaceTables } from './tables.ts'

/** The tables that this slice reads and writes; those of other slices are only read. */
export type UsedTables = WorkspaceTables & OrganizationTables & Pick<AccountTables, 'users'> & PlatformTables

export type WorkspaceTx = Tx<UsedTables>
/** A database or a transaction, for reading. */
export type WorkspaceReader = Pick<WorkspaceTx, 't' | 'select' | '$count'>

export type WorkspaceRow = WorkspaceTables['workspaces']['$inferSelect']
export type TagBinding = WorkspaceTables['tagBindings']['$inferSelect']
export type VariableRow = WorkspaceTables['variables']['$inferSelect']
export type ExecutionMode = 'remote' | 'local'

export type OrganizationFacts = Pick<
  OrganizationTables['organizations']['$inferSelect'],
  'id' | 'name' | 'defaultExecutionMode' | 'allowForceDeleteWorkspaces'
>

/** A workspace with what it takes from its organization. */
export type Workspace = { row: WorkspaceRow; organization: OrganizationFacts }

/** How a request names a workspace. */
export type WorkspaceRef = { id: string } | { organization: string; name: string }

/** A workspace as one actor sees it: all that the resource is made of. */
export type WorkspaceView = Workspace & {
  permissions: ReadonlySet<Permission>
  bindings: readonly TagBinding[]
  effectiveBindings: readonly EffectiveBinding[]
  variableIds: readonly string[]
  outputIds: readonly string[]
}

export type WorkspaceDeps = {
  db: Database<UsedTables>
  clock: Clock
  outbox: Pick<Outbox, 'emit'>
  envelope: Envelope
  authorize: Authorize
  permissionsOf: PermissionsOf
  workspaceGrants: WorkspaceGrants
  seesTeam: Teams['seesTeam']
  engineVersions: Record<EngineName, EngineVersions>
  ports: WorkspacePorts
}

/** Own setting, or the default of the organization. */
export const executionModeOf = ({ row, organization }: Workspace): ExecutionMode => row.executionMode ?? organization.defaultExecutionMode

/** Who holds the lock. An organization token locks as its service account, a `user`. */
export type LockedBy = { kind: LockHolderKind; id: string }

export const lockedByOf = (row: WorkspaceRow): LockedBy | undefined =>
  row.lockedByKind === null || row.lockedById === null ? undefined : { kind: row.lockedByKind, id: row.lockedById }
