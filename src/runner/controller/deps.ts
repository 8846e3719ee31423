import type { BlobStore } from '../../platform/blobs/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/db/database.ts'
import type { EngineName } from '../../platform/engine-name.ts'
import type { Log } from '../../platform/log.ts'
import type { Presence } from '../../platform/presence.ts'
import type { PhaseMaterial, RunDb, RunDeps } from '../../runs/index.ts'
import type { State } from '../../state/index.ts'
import type { RunnerTables } from '../tables.ts'
import type { KeptRunners } from './kept-runners.ts'
import type { Placement } from './placement.ts'
import type { RunAccess } from './run-access.ts'

export type RunnerSchema = RunnerTables & RunDb['t']
export type RunnerTx = Tx<RunnerSchema>
export type JobRow = RunnerTables['runnerJobs']['$inferSelect']

/** What executing phases needs. `runs` are the dependencies of the runs slice, whose phase functions work in our transactions. */
export type ControllerDeps = {
  db: Database<RunnerSchema>
  clock: Clock
  log: Log
  blobs: BlobStore
  runs: RunDeps
  state: Pick<State, 'commitRunSnapshot' | 'prepareRunState'>
  placement: Placement
  kept: KeptRunners
  engines: Record<EngineName, { locate(version: string): Promise<{ path: string; version: string; file: string }> }>
  /** Id of this process: the owner of its jobs. New at every start. */
  controllerId: string
  access: RunAccess
  /** Tells which of other controllers are gone. Absent: only their leases do. */
  presence?: Pick<Presence, 'missing'>
  /** Set where the link that the CLI prints leads nowhere: the true address of the run's page. */
  runUrlFor?: (material: PhaseMaterial) => string
  limits: {
    capacity: number
    planMs: number
    applyMs: number
    leaseMs: number
    /** A killed runner ends by itself within moments, with its last state; after this it is taken for stuck. */
    killGraceMs: number
    artifactBytes: number
    stateBytes: number
  }
}
