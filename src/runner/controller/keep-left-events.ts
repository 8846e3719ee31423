import { appendLog } from '../../runs/index.ts'
import type { StepEvent } from '../gen/runner/v1/runner.ts'
import { asOwner } from './as-owner.ts'
import type { ControllerDeps, JobRow } from './deps.ts'
import { foldEvents } from './fold-events.ts'
import { stepOfOpId } from './op-id.ts'
import type { RunnerRef } from './placement.ts'

const BATCH_BYTES = 1024 * 1024

/**
 * Keeps what a runner that is gone had still to tell: the rest of the log, what was in flight, the result of a step that came to its end.
 * The job is up to date then. Throws Fenced.
 */
export const keepLeftEvents = async (d: ControllerDeps, job: JobRow, ref: RunnerRef): Promise<void> => {
  let batch: { step: string; events: StepEvent[]; bytes: number } | undefined

  const commit = async (): Promise<void> => {
    if (batch === undefined) return
    const { step, events } = batch
    batch = undefined
    if (job.step !== step) Object.assign(job, { step, stepSeq: 0 })
    const folded = foldEvents(job, step, events)
    if (folded === undefined) return
    await asOwner(d, job, folded.patch, (tx, { phase }) => appendLog(tx, phase, folded.log))
    Object.assign(job, folded.patch)
  }

  for await (const event of d.placement.leftEvents(ref)) {
    const step = stepOfOpId(job, event.opId)
    if (step === undefined || job.results[step] !== undefined) continue
    if (batch !== undefined && (batch.step !== step || batch.bytes > BATCH_BYTES)) await commit()
    batch ??= { step, events: [], bytes: 0 }
    batch.events.push(event)
    batch.bytes += event.event?.$case === 'log' ? event.event.value.bytes.length : 0
  }
  await commit()
}
