import type { AnyColumn, SQL } from 'drizzle-orm'
import type { WorkspaceReader, WorkspaceTx } from './workspace.ts'

/** What the slice of state versions does for workspaces. */
export type StateOf = {
  /** The lock goes: the newest finalized intermediate version becomes current, the other snapshots are dropped. The workspace row is locked. */
  onUnlock(tx: WorkspaceTx, workspaceId: string): Promise<void>
  /** Whether the newest version still waits for its upload. */
  hasPendingStateVersion(tx: WorkspaceTx, workspaceId: string): Promise<boolean>
  /** Whether the resources of the current version are not counted yet. */
  isBeingProcessed(tx: WorkspaceTx, workspaceId: string): Promise<boolean>
  /** Ids of the outputs by state version, in one query. */
  outputIds(reader: WorkspaceReader, stateVersionIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
}

/** SQL of the slice of runs inside the list of workspaces. `runId` is the column with the id of the current run. */
export type CurrentRunSql = {
  hasStatus(runId: AnyColumn, statuses: readonly string[]): SQL
  createdAt(runId: AnyColumn): SQL
}

export type EngineVersions = {
  /** An exact version, a constraint or `latest`. */
  isKnown(requested: string): Promise<boolean>
  /** Default of new workspaces. */
  latest(): Promise<string>
}

export type WorkspacePorts = { stateOf: StateOf; currentRun: CurrentRunSql }
