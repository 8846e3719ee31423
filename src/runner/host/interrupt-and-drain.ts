import { CancelMode } from '../gen/runner/v1/runner.ts'
import type { Runner } from '../runner.ts'

/**
 * Asks the engine to stop as Ctrl-C does and waits until its state has reached the controller, at most `boundMs`. Returns at once
 * when the runner has no work.
 */
export const interruptAndDrain = async (runner: Runner, boundMs: number, everyMs = 250): Promise<void> => {
  const deadline = performance.now() + boundMs
  const { lease } = await runner.status({ lease: undefined })
  if (!lease) return
  await runner.cancel({ lease, mode: CancelMode.INTERRUPT })
  while (performance.now() < deadline) {
    const { operations, unackedSnapshots } = await runner.status({ lease: undefined })
    if (unackedSnapshots === 0 && operations.every((operation) => operation.done)) return
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
