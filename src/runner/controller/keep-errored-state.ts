import { chunks } from '../../platform/blobs/chunks.ts'
import { keepErroredState as save } from '../../runs/index.ts'
import { asOwner } from './as-owner.ts'
import type { ControllerDeps, JobRow } from './deps.ts'

/** Keeps a state that the workspace cannot take where people can download it. The apply ends as errored then. Throws Fenced. */
export const keepErroredState = async (d: ControllerDeps, job: JobRow, bytes: Uint8Array): Promise<void> => {
  const blob = await d.blobs.put(chunks(bytes), { maxBytes: d.limits.stateBytes })
  await asOwner(d, job, {}, (tx, { phase }) => save(tx, phase.id, blob.key))
  d.log.error({ runId: job.runId, blob: blob.key }, 'a state of the run was kept aside: the workspace could not take it')
}
