import type { RunDeps } from './deps.ts'
import { appendLog } from './logs/append-log.ts'
import { errorLines } from './logs/preamble.ts'
import { listOpenRuns, listPhases } from './queries.ts'
import type { RunTx } from './run.ts'
import { transition } from './transition.ts'

type Waited = { workspaceId: string; configurationVersionId: string }

/** Ends the runs that wait for a configuration which will not come, with the reason in their log. The workspace is locked by the caller. */
export const failWaitingRuns = async (
  d: RunDeps,
  tx: RunTx,
  { workspaceId, configurationVersionId }: Waited,
  reason: string,
): Promise<void> => {
  const open = await listOpenRuns(tx, workspaceId)
  for (const run of open.filter((each) => each.status === 'pending' && each.configurationVersionId === configurationVersionId)) {
    const plan = (await listPhases(tx, run.id)).find(({ kind }) => kind === 'plan')
    if (plan !== undefined) await appendLog(tx, plan, errorLines(run.logFormat, d.clock.now(), 'Configuration cannot be used', reason))
    await transition(d, tx, run, { kind: 'fail' }, { userId: null })
  }
}
