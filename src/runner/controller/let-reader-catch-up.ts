import { setTimeout as pause } from 'node:timers/promises'
import type { Drive } from './drive.ts'

/** The CLI asks for a new piece of a log after at most two seconds, and for the run after that. */
const CATCH_UP_MS = 4000

/**
 * `terraform apply -auto-approve` looks at its run once the plan's log has ended. When it is `errored` by then, the CLI shows neither plan nor apply, and the
 * reason of the failure with them. So an apply that fails right after its plan ends no sooner than the CLI has looked.
 */
export const letReaderCatchUp = async ({ d, material, signal }: Drive): Promise<void> => {
  const { run } = material
  const plannedAt = run.statusTimestamps['planned-at']
  if (run.source !== 'terraform+cloud' || !run.autoApply || plannedAt === undefined) return
  const leftMs = Date.parse(plannedAt) + CATCH_UP_MS - d.clock.now().getTime()
  if (leftMs > 0) await pause(leftMs, undefined, { signal }).catch(() => undefined)
  if (signal.aborted) throw signal.reason
}
