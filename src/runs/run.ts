import type { AccountTables } from '../accounts/tables.ts'
import type { PlatformTables } from '../platform/db/tables.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import type { OrganizationTables } from '../organizations/tables.ts'
import type { SshKeyTables } from '../ssh-keys/tables.ts'
import type { StateTables } from '../state/tables.ts'
import type { VariableSetTables } from '../variable-sets/tables.ts'
import type { WorkspaceTables } from '../workspaces/tables.ts'
import type { RunTables } from './tables.ts'

export type RunRow = RunTables['runs']['$inferSelect']
export type PhaseRow = RunTables['phases']['$inferSelect']
export type ConfigurationVersionRow = RunTables['configurationVersions']['$inferSelect']
export type RunEventRow = RunTables['runEvents']['$inferSelect']
export type CommentRow = RunTables['comments']['$inferSelect']
/** A comment and the run event that tells of it. */
export type Comment = CommentRow & { runEventId: string }

/** What the queries of this slice see of the database. */
export type RunSchema = RunTables &
  WorkspaceTables &
  SshKeyTables &
  VariableSetTables &
  StateTables &
  OrganizationTables &
  Pick<AccountTables, 'users'> &
  PlatformTables
export type RunTx = Tx<RunSchema>
export type RunDb = Database<RunSchema>

/** Run variable as the client sends it: the value is an HCL literal. */
export type RunVariable = { key: string; value: string }

/** Workspace variable as it was when the run was created. */
export type PinnedVariable = {
  key: string
  value: string
  category: 'terraform' | 'env'
  hcl: boolean
  sensitive: boolean
  /** Beats the variables of the run. */ priority?: boolean
}

/** A phase that waits for a runner. */
export type PhaseWork = {
  runId: string
  organizationId: string
  workspaceId: string
  phaseId: string
  phase: 'plan' | 'apply'
  priority: number
}

/**
 * Port to whoever executes phases (runner/controller). All of it happens in the caller's transaction: a wake-up follows the commit.
 */
export type PhaseExecutor = {
  enqueue(tx: RunTx, work: PhaseWork): Promise<void>
  /** For how many more phases this server has a runner. */
  room(reader: Pick<RunTx, '$count' | 't'>): Promise<number>
  /** A pending run waits for nothing but a runner: whoever gets one free looks for it, in the order of service. */
  offer(tx: RunTx): void
  /** Takes the open work of the run back; a runner that has it is fenced and ended. */
  withdraw(tx: RunTx, runId: string): Promise<void>
  /** Tells whoever is at work on the run to interrupt or to kill. False, and the open work is taken back, when nobody is. */
  cancel(tx: RunTx, runId: string, mode: 'interrupt' | 'kill'): Promise<boolean>
}
