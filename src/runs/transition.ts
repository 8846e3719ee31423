import { stampTime } from '../platform/clock.ts'
import { AppError } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { lockWorkspaceRow } from '../workspaces/index.ts'
import { listConfigurationVersionsById } from './configuration-queries.ts'
import { adoptConfiguration } from './adopt-configuration.ts'
import { nextInQueue, planPriority } from './decide-queue.ts'
import type { RunDeps } from './deps.ts'
import { insertComment, insertRunEvent } from './event-queries.ts'
import { applyStatusFor, phaseStampKey, planStatusFor, runStampKey } from './phase-status.ts'
import { listOpenRuns, listPhases, listSavedPlans, savePhase, saveRun, saveWorkspace } from './queries.ts'
import { decide, holdsLock, isRefusal, type Decision, type RunCommand, type RunEffect } from './run-machine.ts'
import { listWaitingRuns } from './queue-queries.ts'
import { saveRunFigures } from './run-figures.ts'
import type { PhaseRow, RunRow, RunTx } from './run.ts'
import { isFinal, type PhaseStatus, type RunStatus } from './statuses.ts'

/** Who caused it, and what the run's events shall say. */
export type Cause = { userId: string | null; comment?: string | undefined; description?: string }

const eventStatuses: ReadonlySet<RunStatus> = new Set([
  'plan_queued',
  'planning',
  'planned',
  'planned_and_saved',
  'planned_and_finished',
  'confirmed',
  'applying',
  'applied',
  'discarded',
  'errored',
  'canceled',
])

/**
 * Decides a command and, if allowed, saves what follows from it: status, timestamps, both phases, effects, events, the queue. One
 * transaction, which holds the workspace's row. Throws CONFLICT when the machine refuses.
 */
export const transition = async (d: RunDeps, tx: RunTx, run: RunRow, command: RunCommand, cause: Cause): Promise<RunRow> => {
  const decision = decide(run, command)
  if (isRefusal(decision)) throw new AppError(decision.refused, decision.because, { title: 'transition not allowed' })
  const now = d.clock.now()
  const next: RunRow = {
    ...run,
    status: decision.path.at(-1) ?? run.status,
    hasChanges: decision.hasChanges ?? run.hasChanges,
    statusTimestamps: { ...run.statusTimestamps },
    updatedAt: now,
    version: run.version + 1,
  }
  next.isOpen = !isFinal(next.status)
  for (const status of decision.path) next.statusTimestamps[runStampKey(status)] = stampTime(now)
  if (command.kind === 'confirm') next.confirmedByUserId = cause.userId
  stampCancel(d, next, decision.effects, now)
  await saveRun(tx, run.id, next)
  await savePhases(tx, next, decision.path, now)
  await recordEvents(d, tx, next, decision, command, cause, now)
  let isAtWork = true
  for (const effect of decision.effects) isAtWork = (await carryOut(d, tx, next, effect)) && isAtWork
  // A plan that waits for its next attempt, say: there is nobody who would end the phase.
  if (!isAtWork) return transition(d, tx, next, { kind: 'phase-canceled' }, { userId: cause.userId })
  if (next.status === 'applied') {
    await adoptConfiguration(tx, next)
    await supersedeSavedPlans(d, tx, next)
  }
  if (next.status === 'applied' || next.status === 'errored') await saveRunFigures(tx, run.workspaceId)
  if (!next.isOpen) await advanceQueue(d, tx, run.workspaceId)
  return next
}

const stampCancel = (d: RunDeps, run: RunRow, effects: RunEffect[], now: Date): void => {
  if (effects.includes('request-cancel')) {
    run.cancelRequestedAt = now
    run.forceCancelAvailableAt = new Date(now.getTime() + d.limits.forceCancelCoolOffMs)
  }
  if (effects.includes('mark-canceled')) run.canceledAt = now
  if (effects.includes('mark-force-canceled')) {
    run.forceCanceledAt = now
    run.statusTimestamps['force-canceled-at'] = stampTime(now)
  }
}

const savePhases = async (tx: RunTx, run: RunRow, path: RunStatus[], now: Date): Promise<void> => {
  if (path.length === 0) return
  for (const phase of await listPhases(tx, run.id)) {
    const patch = followPath(phase, path, { now, isByForce: run.forceCanceledAt !== null })
    if (patch !== undefined) await savePhase(tx, phase.id, patch)
  }
}

type When = { now: Date; isByForce: boolean }

const followPath = (phase: PhaseRow, path: RunStatus[], { now, isByForce }: When): Partial<PhaseRow> | undefined => {
  const statusFor = phase.kind === 'plan' ? planStatusFor : applyStatusFor
  const statusTimestamps = { ...phase.statusTimestamps }
  let status: PhaseStatus = phase.status
  for (const step of path) {
    const next = statusFor(step, status)
    const key = phaseStampKey(next)
    if (next !== status && key !== undefined) statusTimestamps[key] = stampTime(now)
    if (next !== status && next === 'canceled' && isByForce) statusTimestamps['force-canceled-at'] = stampTime(now)
    status = next
  }
  return status === phase.status ? undefined : { status, statusTimestamps }
}

const recordEvents = async (
  d: RunDeps,
  tx: RunTx,
  run: RunRow,
  decision: Decision,
  command: RunCommand,
  cause: Cause,
  now: Date,
): Promise<void> => {
  let commentId: string | null = null
  if (cause.comment !== undefined && cause.comment !== '') {
    commentId = newId('wsc')
    await insertComment(tx, { id: commentId, runId: run.id, body: cause.comment, authorUserId: cause.userId, createdAt: now })
  }
  const actions = decision.path.filter((status) => eventStatuses.has(status)).map(String)
  if (decision.effects.includes('request-cancel') && !actions.includes('canceled')) actions.push('cancel_requested')
  if (command.kind === 'force-cancel') actions.push('force_cancel_requested')
  for (const [index, action] of actions.entries()) {
    await insertRunEvent(tx, {
      id: newId('re'),
      runId: run.id,
      action,
      description: cause.description ?? null,
      actorUserId: cause.userId,
      commentId: index === 0 ? commentId : null,
      createdAt: now,
    })
  }
  for (const status of decision.path) {
    await d.emit(tx, {
      type: `run.${status}`,
      subject: run.id,
      organizationId: run.organizationId,
      version: run.version,
      payload: { workspaceId: run.workspaceId },
    })
  }
}

/** False when the effect was meant for somebody at work, and nobody is. */
const carryOut = async (d: RunDeps, tx: RunTx, run: RunRow, effect: RunEffect): Promise<boolean> => {
  const work = { runId: run.id, organizationId: run.organizationId, workspaceId: run.workspaceId }
  switch (effect) {
    case 'lock-workspace':
      await d.workspaces.lockForRun(tx, run.workspaceId, run.id)
      await saveWorkspace(tx, run.workspaceId, { currentRunId: run.id })
      break
    case 'unlock-workspace':
      await d.state.promoteRunState(tx, run.workspaceId, run.id)
      await d.workspaces.unlockFromRun(tx, run.workspaceId, run.id)
      break
    case 'enqueue-plan':
      await d.executor.enqueue(tx, { ...work, phaseId: run.planId, phase: 'plan', priority: planPriority(run.isPlanOnly) })
      break
    case 'enqueue-apply':
      await d.executor.enqueue(tx, { ...work, phaseId: run.applyId, phase: 'apply', priority: 0 })
      break
    case 'withdraw-work':
      await d.executor.withdraw(tx, run.id)
      break
    case 'interrupt-work':
      return d.executor.cancel(tx, run.id, 'interrupt')
    case 'kill-work':
      return d.executor.cancel(tx, run.id, 'kill')
    case 'request-cancel':
    case 'mark-canceled':
    case 'mark-force-canceled':
      break
  }
  return true
}

const supersedeSavedPlans = async (d: RunDeps, tx: RunTx, applied: RunRow): Promise<void> => {
  for (const saved of await listSavedPlans(tx, applied.workspaceId)) {
    await transition(d, tx, saved, { kind: 'supersede' }, { userId: null, description: `Superseded by ${applied.id}` })
  }
}

/**
 * Hands the runs of the workspace whose turn has come to the runners, at most `room` of them; the others wait as pending. Called in the
 * transaction of whatever may have freed the way: a new run, an upload, an unlock, the end of a run. The workspace's row is locked by then or
 * is locked here. Answers how many runs went on.
 */
export const advanceQueue = async (d: RunDeps, tx: RunTx, workspaceId: string, room?: number): Promise<number> => {
  const workspace = await lockWorkspaceRow(tx, workspaceId)
  if (workspace === undefined) return 0
  const open = await listOpenRuns(tx, workspaceId)
  const pending = open.filter((run) => run.status === 'pending')
  if (pending.length === 0) return 0
  const configurations = await listConfigurationVersionsById(tx, [...new Set(pending.map((run) => run.configurationVersionId))])
  const isUploaded = (id: string): boolean => configurations.some((each) => each.id === id && each.status === 'uploaded')
  // Clients tell a lock held by hand by a current run that is pending. A saved plan that is being applied is the current one.
  const first = open.some(holdsLock) ? undefined : open.find((run) => !run.isPlanOnly && !run.isSavePlan)
  if (first?.status === 'pending') await saveWorkspace(tx, workspaceId, { currentRunId: first.id })
  const ready = nextInQueue(open, { isLocked: workspace.lockedById !== null, isUploaded })
  if (ready.length === 0) return 0
  const next = ready.slice(0, room ?? (await roomOf(d, tx, workspaceId)))
  if (next.length < ready.length) d.executor.offer(tx)
  for (const id of next) {
    const run = open.find((each) => each.id === id)
    if (run !== undefined) await transition(d, tx, run, { kind: 'queue-plan' }, { userId: null })
  }
  return next.length
}

/** What is left when the runs of other workspaces that wait for a runner have got one: a workspace whose run ends is not served before them. */
const roomOf = async (d: RunDeps, tx: RunTx, workspaceId: string): Promise<number> => {
  const room = await d.executor.room(tx)
  if (room === 0) return 0
  const elsewhere = (await listWaitingRuns(tx)).filter((waiting) => waiting.workspaceId !== workspaceId)
  return Math.max(0, room - elsewhere.reduce((sum, { count }) => sum + count, 0))
}
