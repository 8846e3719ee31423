import type { AccountTables } from '../accounts/tables.ts'
import type { SignedUrls } from '../api/index.ts'
import type { Authorize, PermissionsOf } from '../organizations/index.ts'
import type { OrganizationTables } from '../organizations/tables.ts'
import type { BlobStore } from '../platform/blobs/store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import type { PlatformTables } from '../platform/db/tables.ts'
import type { Log } from '../platform/log.ts'
import type { Outbox } from '../platform/outbox/outbox.ts'
import type { Envelope } from '../platform/secrets/envelope.ts'
import type { WorkspaceTables } from '../workspaces/tables.ts'
import type { StateTables } from './tables.ts'

/** What the queries of this slice see of the database; the tables of other slices are read, and `workspaces` is pointed at the current version. */
type StateSchema = StateTables & WorkspaceTables & OrganizationTables & Pick<AccountTables, 'users'> & PlatformTables
export type StateTx = Tx<StateSchema>
export type StateDb = Database<StateSchema>
/** A database or a transaction, for reading. */
export type StateReader = Pick<StateTx, 't' | 'select' | '$count'>

export type StateVersion = StateTables['stateVersions']['$inferSelect']
export type StateOutput = StateTables['stateOutputs']['$inferSelect']

/** A version that has its bytes. */
export type StoredStateVersion = StateVersion & { blobKey: string; sizeBytes: number }

/** Port of the slice of runs. */
type RunsOfWorkspaces = {
  /** The state versions that runs in progress of the workspace began with. */
  inputsOfOpenRuns(tx: Pick<StateTx, 'select'>, workspaceId: string): Promise<string[]>
  isRunOf(reader: Pick<StateTx, 'select'>, workspaceId: string, runId: string): Promise<boolean>
}

export type StateDeps = {
  db: StateDb
  clock: Clock
  outbox: Pick<Outbox, 'emit'>
  envelope: Envelope
  blobs: BlobStore
  authorize: Authorize
  permissionsOf: PermissionsOf
  signedUrls: SignedUrls
  runs: RunsOfWorkspaces
  log: Log
  limits: StateLimits
}

export type StateLimits = {
  /** Largest state, and largest JSON state. */
  maxBytes: number
  /** Up to this size outputs and resources are there when the upload is answered; larger states are looked into afterwards. */
  processAtOnceBytes: number
  /** Larger states are stored and never looked into. */
  processMaxBytes: number
}

const MIB = 1024 * 1024

export const defaultStateLimits: StateLimits = { maxBytes: 512 * MIB, processAtOnceBytes: 2 * MIB, processMaxBytes: 256 * MIB }

export const isStored = (version: StateVersion | undefined): version is StoredStateVersion =>
  version !== undefined && version.blobKey !== null && version.sizeBytes !== null
