import { AppError, errorMessage } from '../../platform/errors.ts'
import {
  appendLog,
  applyPreamble,
  beginPhase,
  type LockedPhase,
  phaseMaterial,
  planPreamble,
  type PhaseMaterial,
} from '../../runs/index.ts'
import { RunnerError } from '../runner.ts'
import { asOwner } from './as-owner.ts'
import type { ControllerDeps, JobRow, RunnerTx } from './deps.ts'
import { bind, type Drive, Fenced, isFenced, leaseOf, openDrive, phaseIdentity, RunnerLost } from './drive.ts'
import { LAZY } from './lazy.ts'
import type { ConnectedRunner } from './placement.ts'
import { findPlanRunner, isTakenOver } from './queries.ts'
import type { StepSummary } from '../tables.ts'
import { timeLimitMs } from './time-limit.ts'

/** A fresh runner, bound to the job; the run is planning or applying from now on. */
export const startDrive = async (d: ControllerDeps, job: JobRow, signal: AbortSignal): Promise<Drive> => {
  const reading = readMaterial(d, job)
  const deadlineFor = (material: PhaseMaterial): Date => new Date(d.clock.now().getTime() + timeLimitMs(d.limits, job.phase, material))
  const startFresh = (): Promise<ConnectedRunner> =>
    d.placement.start(phaseIdentity(job), signal, async (runner, leaf) => bind(runner, leaseOf(job), deadlineFor(await reading), leaf))
  // A plan needs a fresh one whatever its material says: it gets ready meanwhile, and ends where there is no material.
  const ahead = job.phase === 'plan' ? startFresh() : undefined
  // Looked at below; until then a failure must not count as unhandled.
  ahead?.catch(() => undefined)
  const before = await reading
  const deadline = deadlineFor(before)
  const { connected, results } =
    ahead === undefined ? await takeForApply(d, job, { material: before, deadline, startFresh }) : { connected: await ahead, results: {} }
  try {
    await begin(d, job, preamble(d, job, before), { status: 'running', runnerRef: connected.ref, deadline, results })
  } catch (error) {
    await drop(d, job, connected)
    throw error
  }
  return follow(d, job, connected, { deadline, signal })
}

/** With an engine that is there: one that cannot be had fails the run, and a download may take its time. */
const readMaterial = async (d: ControllerDeps, job: JobRow): Promise<PhaseMaterial> => {
  const material = await phaseMaterial(d.runs, job.runId)
  await d.engines[material.run.engine].locate(material.run.terraformVersion)
  return material
}

type Taken = { connected: ConnectedRunner; results: JobRow['results'] }

const done: StepSummary = { outcome: 'succeeded', hasChanges: false, hasGeneratedConfig: false, counts: null, errors: [] }
/** What the runner of the plan has done already. */
const planned: JobRow['results'] = { upload: done, prepare: done, init: done }

/** The runner that made the plan, where it is still there, else a fresh one. */
const takeForApply = async (
  d: ControllerDeps,
  job: JobRow,
  { material, deadline, startFresh }: { material: PhaseMaterial; deadline: Date; startFresh: () => Promise<ConnectedRunner> },
): Promise<Taken> => {
  const kept = await takeKept(d, job, material, deadline)
  if (kept !== undefined) return { connected: kept, results: planned }
  // Another controller may have kept it: both phases of a run have one directory.
  const left = await findPlanRunner(d.db, job.runId)
  if (left !== undefined) await d.placement.destroy(left)
  return { connected: await startFresh(), results: {} }
}

const takeKept = async (d: ControllerDeps, job: JobRow, material: PhaseMaterial, deadline: Date): Promise<ConnectedRunner | undefined> => {
  const kept = await d.kept.take(job.runId)
  if (kept === undefined) return undefined
  try {
    const access = await asOwner(d, job, {}, (tx) => d.access.grant(tx, material, deadline), LAZY)
    return await d.placement.rebind(kept.connected, phaseIdentity(job), { lease: kept.lease, next: leaseOf(job), deadline, access })
  } catch (error) {
    d.log.warn({ runId: job.runId, error: errorMessage(error) }, 'the runner of the plan cannot go on, a new one is taken')
    kept.connected.close()
    await d.placement.destroy(kept.connected.ref)
    await d.placement.discard(kept.connected.ref)
    return undefined
  }
}

/** The runner is on record: an error from here on leaves it at work, for whoever takes the job up again. */
const follow = async (
  d: ControllerDeps,
  job: JobRow,
  connected: ConnectedRunner,
  { deadline, signal }: { deadline: Date; signal: AbortSignal },
): Promise<Drive> => {
  try {
    return openDrive(d, { job, material: await phaseMaterial(d.runs, job.runId), connected, deadline, signal })
  } catch (error) {
    connected.close()
    throw error
  }
}

/** The run's new status, its runner and the begin of its log: one transaction. */
const begin = async (d: ControllerDeps, job: JobRow, text: string, patch: Partial<JobRow>): Promise<void> => {
  const change = async (tx: RunnerTx, locked: LockedPhase): Promise<void> => {
    await beginPhase(d.runs, tx, locked).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'CONFLICT' ? new Fenced() : error
    })
    // A second attempt goes on with the log of the first.
    if (locked.phase.logBytes === 0) await appendLog(tx, locked.phase, text)
  }
  // That an apply has begun is never forgotten: nothing may begin it again.
  await asOwner(d, job, patch, change, job.phase === 'plan' ? LAZY : {})
  Object.assign(job, patch)
}

const preamble = (d: ControllerDeps, job: JobRow, material: PhaseMaterial): string => {
  const lines = { engine: material.run.engine, version: material.run.terraformVersion, runUrl: d.runUrlFor?.(material) }
  return job.phase === 'plan' ? planPreamble(lines) : applyPreamble(lines)
}

/** Ends a runner that nothing was started on. Where another controller has the job, the directory is its runner's by now. */
const drop = async (d: ControllerDeps, job: JobRow, { runner, ref, close }: ConnectedRunner): Promise<void> => {
  try {
    await runner.shutdown({ lease: leaseOf(job), cleanup: false })
    if (await isTakenOver(d.db, job)) return
    await d.placement.destroy(ref)
    await d.placement.discard(ref)
  } catch (error) {
    d.log.warn({ runId: job.runId, error: errorMessage(error) }, 'a runner that was not needed did not end')
  } finally {
    close()
  }
}

/** The runner that an earlier controller, or this one, left at work. Throws RunnerLost, Fenced. */
export const resumeDrive = async (d: ControllerDeps, job: JobRow, signal: AbortSignal): Promise<Drive> => {
  const deadline = job.deadline ?? d.clock.now()
  const connected = await d.placement.reattach(job.runnerRef!, phaseIdentity(job), signal).catch(asLost)
  await bind(connected.runner, leaseOf(job), deadline).catch(asLost)
  d.log.info({ runId: job.runId, phase: job.phase, step: job.step }, 'took over a running phase')
  return follow(d, job, connected, { deadline, signal })
}

const asLost = (error: unknown): never => {
  if (isFenced(error) || !(error instanceof RunnerError)) throw error
  throw new RunnerLost(errorMessage(error))
}
