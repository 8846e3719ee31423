import { mayBeApplied } from '../../runs/index.ts'
import type { ControllerDeps } from './deps.ts'
import { listJobsOfRun } from './queries.ts'

/**
 * Removes what phases of ended runs left on this machine because their server died before it cleaned up: workers and directories. A run
 * whose last job ended less than `graceMs` ago is left to the server that ended it.
 */
export const sweepLeftovers = async (
  d: ControllerDeps,
  { isBusy, graceMs }: { isBusy: (runId: string) => boolean; graceMs: number },
): Promise<void> => {
  const before = d.clock.now().getTime() - graceMs
  for (const { runId, runDirectory } of await d.placement.runDirectories()) {
    if (isBusy(runId) || (await mayBeApplied(d.runs, runId))) continue
    const jobs = await listJobsOfRun(d.db, runId)
    // Nothing is known of a directory without jobs: it may be another installation's.
    if (jobs.length === 0 || jobs.some(({ finishedAt }) => finishedAt === null || finishedAt.getTime() > before)) continue
    d.log.info({ runId }, 'removing what a run left behind')
    const refs = jobs.flatMap(({ runnerRef }) => runnerRef ?? [])
    for (const ref of refs) await d.placement.destroy(ref)
    for (const ref of refs.length === 0 ? [{ runDirectory, instanceId: '' }] : refs) await d.placement.discard(ref)
  }
}
