import { setTimeout as pause } from 'node:timers/promises'
import { errorMessage } from '../../platform/errors.ts'
import type { PhaseMaterial } from '../../runs/index.ts'
import { CancelMode, Phase, type Lease } from '../gen/runner/v1/runner.ts'
import { RunnerError, type Runner } from '../runner.ts'
import type { ControllerDeps, JobRow, RunnerTx } from './deps.ts'
import type { ConnectedRunner, Shown } from './placement.ts'
import type { PhaseIdentity } from '../phase-identity.ts'
import { LAZY } from './lazy.ts'
import { updateOwnJob } from './queries.ts'

/** The job belongs to somebody else now, or to nobody: stop touching it. */
export class Fenced extends Error {}
/** This controller is shutting down: leave the runner at work for the next one. */
export class HandedOver extends Error {}
/** The runner is gone for good. */
export class RunnerLost extends Error {}

const REATTACH_TRIES = 3
const FRUITLESS_CONNECTIONS = 10
const FRUITLESS_PAUSE_MS = 100

/** A phase under way: its job, its runner, and what both writes need. Made by `openDrive`. */
export type Drive = {
  readonly d: ControllerDeps
  readonly job: JobRow
  readonly material: PhaseMaterial
  readonly lease: Lease
  readonly deadline: Date
  readonly signal: AbortSignal
  runner(): Runner
  /** Notes something on the way, as the job's owner, in one lazy transaction. Throws Fenced. */
  fenced<R>(fn: (tx: RunnerTx) => Promise<R>, patch?: Partial<JobRow>): Promise<R>
  logBytes: number
  /** Small artifacts that came with results of steps, by digest. */
  readonly sent: Map<string, Uint8Array>
  /** After a transport error: the same runner on a new connection. Concurrent callers share one attempt. Throws RunnerLost, Fenced. */
  reconnect(broken: Runner): Promise<void>
  cancel(mode: 'interrupt' | 'kill'): Promise<void>
  /** Says that the apply of this run may go on with the runner. */
  expectApply(): void
  /** What follows the runner ends with `reason`; the runner works on. */
  giveUp(reason: unknown): void
  /** The runner as it is connected now; closing it is the caller's from then on. */
  release(): ConnectedRunner
  close(): void
}

export const phaseIdentity = (job: JobRow): PhaseIdentity => ({
  organizationId: job.organizationId,
  workspaceId: job.workspaceId,
  runId: job.runId,
  phase: job.phase,
})

export const phaseIdOf = (job: JobRow, material: PhaseMaterial): string => (job.phase === 'plan' ? material.plan.id : material.apply.id)

/** Binds a greeted runner to the job's epoch; a lower one is fenced from then on. The first time `leaf` gives it its name. */
export const bind = async (runner: Runner, lease: Lease, deadline: Date, leaf?: Shown): Promise<void> => {
  const shown = leaf && { certificatePem: leaf.certificatePem, privateKeyPem: leaf.privateKeyPem }
  await runner.acquireLease({ lease, deadlineUnixMs: deadline.getTime(), ...shown })
}

export const leaseOf = (job: JobRow): Lease => ({
  runId: job.runId,
  phase: job.phase === 'plan' ? Phase.PLAN : Phase.APPLY,
  epoch: job.epoch,
})

type Options = { job: JobRow; material: PhaseMaterial; connected: ConnectedRunner; deadline: Date; signal: AbortSignal }

export const openDrive = (d: ControllerDeps, { job, material, connected: first, deadline, signal: given }: Options): Drive => {
  const lease = leaseOf(job)
  const own = new AbortController()
  const signal = AbortSignal.any([given, own.signal])
  let connected = first
  let isReleased = false
  let reconnecting: Promise<void> | undefined
  /** Connections since the last one that brought anything. */
  let fruitless = 0

  const reattach = async (): Promise<void> => {
    connected.close()
    for (let tries = 1; ; tries++) {
      if (signal.aborted) throw signal.reason
      try {
        const next = await d.placement.reattach(connected.ref, phaseIdentity(job), signal)
        await bind(next.runner, lease, deadline)
        connected = next
        return
      } catch (error) {
        if (isFenced(error)) throw error
        d.log.warn({ runId: job.runId, tries, error: errorMessage(error) }, 'runner cannot be reached')
        if (tries >= REATTACH_TRIES || !isTransport(error)) throw new RunnerLost(errorMessage(error))
      }
    }
  }

  const reconnect = async (): Promise<void> => {
    if (fruitless >= FRUITLESS_CONNECTIONS) throw new RunnerLost('the connection to the runner breaks again and again')
    await pause(fruitless * FRUITLESS_PAUSE_MS, undefined, { signal }).catch(() => undefined)
    fruitless += 1
    await reattach()
  }

  return {
    d,
    job,
    material,
    lease,
    deadline,
    signal,
    logBytes: (job.phase === 'plan' ? material.plan : material.apply).logBytes,
    sent: new Map(),
    runner: () => connected.runner,
    fenced: async (fn, patch = {}) => {
      const result = await d.db.transaction(async (tx) => {
        const owned = await updateOwnJob(tx, job, { leaseUntil: new Date(d.clock.now().getTime() + d.limits.leaseMs), ...patch })
        if (owned === undefined) throw new Fenced()
        return fn(tx)
      }, LAZY)
      Object.assign(job, patch)
      fruitless = 0
      return result
    },
    reconnect: async (broken) => {
      if (broken !== connected.runner) return
      reconnecting ??= reconnect().finally(() => (reconnecting = undefined))
      await reconnecting
    },
    cancel: async (mode) => {
      await connected.runner.cancel({ lease, mode: mode === 'kill' ? CancelMode.KILL : CancelMode.INTERRUPT })
    },
    expectApply: () => d.placement.expectRebind(connected.ref, { ...phaseIdentity(job), phase: 'apply' }),
    giveUp: (reason) => own.abort(reason),
    release: () => {
      isReleased = true
      return connected
    },
    close: () => {
      if (!isReleased) connected.close()
    },
  }
}

export const isTransport = (error: unknown): boolean =>
  error instanceof RunnerError && (error.code === 'UNAVAILABLE' || error.code === 'DEADLINE')

/** Whether the database or the runner says that the job has another owner. */
export const isFenced = (error: unknown): boolean =>
  error instanceof Fenced || (error instanceof RunnerError && error.code === 'LEASE_FENCED')
