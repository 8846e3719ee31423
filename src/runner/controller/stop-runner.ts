import { asOwner } from './as-owner.ts'
import type { ControllerDeps, JobRow } from './deps.ts'
import { keepErroredState } from './keep-errored-state.ts'
import { keepLeftEvents } from './keep-left-events.ts'
import type { RunnerRef } from './placement.ts'

/**
 * Ends the runner of a phase that cannot go on, with everything it started, before the workspace is free for others. What it had
 * still to tell is kept, and the last state of an apply. Throws Fenced, and leaves the runner alone, when the job is not ours any more.
 */
export const stopRunner = async (d: ControllerDeps, job: JobRow): Promise<void> => {
  await asOwner(d, job, {}, async () => undefined)
  if (job.runnerRef === null) return
  await d.placement.destroy(job.runnerRef)
  await keepLeftEvents(d, job, job.runnerRef)
  if (job.phase === 'apply') await keepLeftState(d, job, job.runnerRef)
}

/** The engine writes its state after every resource, so the file may be newer than the last snapshot that arrived. */
const keepLeftState = async (d: ControllerDeps, job: JobRow, ref: RunnerRef): Promise<void> => {
  const bytes = await d.placement.recoverState(ref)
  if (bytes === undefined) return
  const { lineage, serial } = JSON.parse(bytes.toString('utf8')) as { lineage?: unknown; serial?: unknown }
  if (typeof lineage !== 'string' || typeof serial !== 'number') return
  const decision = await d.state.commitRunSnapshot({ workspaceId: job.workspaceId, runId: job.runId, lineage, serial, bytes })
  if (decision.kind === 'refused') await keepErroredState(d, job, bytes)
  await d.state.prepareRunState(job.workspaceId, job.runId)
}
