import type { Permission } from '../organizations/index.ts'
import type { Ctx } from '../platform/context.ts'
import { AppError, notFound } from '../platform/errors.ts'
import type { WorkspaceRow } from '../workspaces/index.ts'
import type { RunDeps } from './deps.ts'
import { listOpenRuns, lockRun } from './queries.ts'
import type { RunCommand } from './run-machine.ts'
import type { RunRow, RunTx } from './run.ts'
import { transition } from './transition.ts'

type LockedRun = { run: RunRow; workspace: WorkspaceRow }

type Needed = Permission | ((run: RunRow, ctx: Ctx) => Permission)

/** The run, locked, for somebody who holds the permission. Throws NOT_FOUND. */
export const lockAllowedRun = async (d: RunDeps, tx: RunTx, ctx: Ctx, id: string, needed: Needed): Promise<LockedRun> => {
  const locked = await lockRun(tx, id)
  if (locked === undefined) throw notFound()
  const { organizationId, workspaceId } = locked.run
  const permission = typeof needed === 'string' ? needed : needed(locked.run, ctx)
  await d.authorize(ctx, permission, { organizationId, workspaceId }, tx)
  return locked
}

/** Whoever may plan may also cancel a speculative run of their own. */
export const cancelPermission = (run: Pick<RunRow, 'isPlanOnly' | 'createdByUserId'>, ctx: Ctx): Permission =>
  run.isPlanOnly && run.createdByUserId !== null && run.createdByUserId === userIdOf(ctx) ? 'run:plan' : 'run:cancel'

export const userIdOf = (ctx: Ctx): string | null => (ctx.actor.kind === 'user' ? ctx.actor.userId : null)

/** Runs one command of a person on a run in one transaction. `commandFor` sees the locked run. Throws 404, 409. */
const actOnRun =
  (d: RunDeps, needed: Needed, commandFor: (locked: LockedRun) => RunCommand) =>
  async (ctx: Ctx, id: string, comment?: string): Promise<RunRow> =>
    d.db.transaction(async (tx) => {
      const locked = await lockAllowedRun(d, tx, ctx, id, needed)
      return transition(d, tx, locked.run, commandFor(locked), { userId: userIdOf(ctx), comment })
    })

export const confirmRun = (d: RunDeps) =>
  actOnRun(d, 'run:apply', ({ run, workspace }) => ({
    kind: 'confirm',
    isBlocked: workspace.lockedById !== null && workspace.lockedById !== run.id,
    isStale: workspace.currentStateVersionId !== run.inputStateVersionId,
  }))

export const discardRun = (d: RunDeps) => actOnRun(d, 'run:apply', () => ({ kind: 'discard' }))

export const cancelRun = (d: RunDeps) => actOnRun(d, cancelPermission, () => ({ kind: 'cancel' }))

export const forceCancelRun = (d: RunDeps) => actOnRun(d, 'run:force-cancel', () => ({ kind: 'force-cancel', now: d.clock.now() }))

/**
 * Lets a pending run go first: the run that holds the workspace, if it waits for a person, is discarded, and earlier waiting ones with it.
 * Throws 403 when the run is not pending or no run is in its way, 409 when the one in its way is at work.
 */
export const forceExecuteRun =
  (d: RunDeps) =>
  async (ctx: Ctx, id: string): Promise<void> =>
    d.db.transaction(async (tx) => {
      const { run, workspace } = await lockAllowedRun(d, tx, ctx, id, 'run:force-execute')
      const open = await listOpenRuns(tx, run.workspaceId)
      const holder = workspace.lockedByKind === 'run' ? open.find((each) => each.id === workspace.lockedById) : undefined
      if (run.status !== 'pending' || holder === undefined) {
        throw new AppError('FORBIDDEN', 'Only a pending run that waits for another run can be executed at once.')
      }
      const cause = { userId: userIdOf(ctx), description: `Made way for ${run.id}` }
      const isEarlier = (other: RunRow): boolean =>
        other.status === 'pending' && other.position < run.position && !other.isPlanOnly && !other.isSavePlan
      // Pending ones first, so that the end of the holder starts the run that was asked for and no other.
      for (const other of [...open.filter(isEarlier), holder]) await transition(d, tx, other, { kind: 'discard' }, cause)
    })
