import { lockWorkspaceRow } from '../workspaces/index.ts'
import type { RunDeps } from './deps.ts'
import { listSavedPlans, listWorkspacesWithSpentPlans } from './queries.ts'
import type { RunRow, RunTx } from './run.ts'
import { transition } from './transition.ts'

/** A saved plan that nobody has applied for so long is discarded. */
const MAX_AGE_MS = 21 * 86_400_000

/** Discards the saved plans of a workspace that were made on another state than the current one: they could not be applied any more. */
export const discardStalePlans =
  (d: RunDeps) =>
  async (tx: RunTx, workspaceId: string): Promise<void> => {
    const workspace = await lockWorkspaceRow(tx, workspaceId)
    if (workspace === undefined) return
    for (const run of await listSavedPlans(tx, workspaceId)) {
      if (run.inputStateVersionId !== workspace.currentStateVersionId)
        await discard(d, tx, run, 'The state of the workspace has changed since')
    }
  }

/** Discards what has waited too long, in every workspace; and what is stale, should that have been missed. */
export const discardOldPlans = async (d: RunDeps): Promise<void> => {
  const before = new Date(d.clock.now().getTime() - MAX_AGE_MS)
  for (const workspaceId of await listWorkspacesWithSpentPlans(d.db, before)) {
    await d.db.transaction(async (tx) => {
      await discardStalePlans(d)(tx, workspaceId)
      for (const run of await listSavedPlans(tx, workspaceId))
        if (run.createdAt < before) await discard(d, tx, run, 'Nobody has applied it for three weeks')
    })
  }
}

const discard = (d: RunDeps, tx: RunTx, run: RunRow, description: string): Promise<RunRow> =>
  transition(d, tx, run, { kind: 'supersede' }, { userId: null, description })
