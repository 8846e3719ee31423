import { and, eq } from 'drizzle-orm'
import type { Permission } from '../organizations/index.ts'
import type { Ctx } from '../platform/context.ts'
import { AppError } from '../platform/errors.ts'
import type { RunDeps } from './deps.ts'
import { lockRun } from './queries.ts'
import type { RunCommand } from './run-machine.ts'
import type { RunRow, RunTx } from './run.ts'
import { transition } from './transition.ts'

/** Runs one command of a person on a run in one transaction. `commandFor` sees the locked run. Throws 404, 409. */
export const actOnRun =
  (d: RunDeps, permission: Permission, commandFor: (tx: RunTx, run: RunRow) => Promise<RunCommand> | RunCommand) =>
  async (ctx: Ctx, id: string, comment?: string): Promise<RunRow> =>
    d.db.transaction(async (tx) => {
      const run = await lockRun(tx, id)
      await d.authorize(ctx, permission, { organizationId: run.organizationId, workspaceId: run.workspaceId }, tx)
      return transition(d, tx, run, await commandFor(tx, run), { userId: ctx.actor.kind === 'user' ? ctx.actor.userId : null, comment })
    })

/** Whether somebody other than the run has the workspace's lock. */
const isBlocked = async (tx: RunTx, run: RunRow): Promise<boolean> => {
  const { workspaces } = tx.t
  const rows = await tx.select({ id: workspaces.lockedById }).from(workspaces).where(eq(workspaces.id, run.workspaceId))
  const holder = rows[0]?.id ?? null
  return holder !== null && holder !== run.id
}

export const confirmRun = (d: RunDeps) =>
  actOnRun(d, 'run:apply', async (tx, run) => ({ kind: 'confirm', isBlocked: await isBlocked(tx, run) }))

export const discardRun = (d: RunDeps) => actOnRun(d, 'run:apply', () => ({ kind: 'discard' }))

export const cancelRun = (d: RunDeps) => actOnRun(d, 'run:cancel', () => ({ kind: 'cancel' }))

export const forceCancelRun = (d: RunDeps) => actOnRun(d, 'run:force-cancel', () => ({ kind: 'force-cancel', now: d.clock.now() }))

/**
 * Lets a pending run go first: the run that holds the workspace, if it waits for a person, is discarded, and earlier waiting ones with it.
 * Throws 403 when the run is not pending or nothing is in its way, 409 when the one in its way is at work.
 */
export const forceExecuteRun =
  (d: RunDeps) =>
  async (ctx: Ctx, id: string): Promise<void> =>
    d.db.transaction(async (tx) => {
      const run = await lockRun(tx, id)
      await d.authorize(ctx, 'run:force-execute', { organizationId: run.organizationId, workspaceId: run.workspaceId }, tx)
      const { runs, workspaces } = tx.t
      const rows = await tx
        .select({ kind: workspaces.lockedByKind, id: workspaces.lockedById })
        .from(workspaces)
        .where(eq(workspaces.id, run.workspaceId))
      const holder = rows[0]
      if (run.status !== 'pending' || holder?.kind !== 'run' || holder.id === null) {
        throw new AppError('FORBIDDEN', 'Only a pending run that waits for another run can be executed at once.')
      }
      const cause = { userId: ctx.actor.kind === 'user' ? ctx.actor.userId : null, description: `Made way for ${run.id}` }
      const open = await tx
        .select()
        .from(runs)
        .where(and(eq(runs.workspaceId, run.workspaceId), eq(runs.isOpen, true)))
      const inTheWay = open.filter((each) => each.position < run.position && !each.isPlanOnly && !each.isSavePlan)
      // Pending ones first, so that the end of the holder starts the run that was asked for and no other.
      for (const other of inTheWay.filter((each) => each.status === 'pending')) await transition(d, tx, other, { kind: 'discard' }, cause)
      for (const other of inTheWay.filter((each) => each.status !== 'pending')) await transition(d, tx, other, { kind: 'discard' }, cause)
    })
