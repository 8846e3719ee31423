import { findWorkspace } from '../workspaces/index.ts'
import { listConfigurationVersionsById } from './configuration-queries.ts'
import { waitReason } from './decide-queue.ts'
import type { RunDeps } from './deps.ts'
import { listOpenRuns } from './queries.ts'
import type { RunRow } from './run.ts'

/** Why a run does not go on by itself, for people; undefined when it is at work, waits for a decision, or has ended. */
export const explainWait = async ({ db }: Pick<RunDeps, 'db'>, run: RunRow): Promise<string | undefined> => {
  if (run.status === 'plan_queued' || run.status === 'apply_queued') return 'Waiting for a free runner.'
  if (run.status !== 'pending') return undefined
  const [workspace, open, configurations] = [
    (await findWorkspace(db, { id: run.workspaceId }))?.row,
    await listOpenRuns(db, run.workspaceId),
    await listConfigurationVersionsById(db, [run.configurationVersionId]),
  ]
  const isUploaded = (id: string): boolean => configurations.some((each) => each.id === id && each.status === 'uploaded')
  switch (waitReason(run, open, { isLocked: workspace !== undefined && workspace.lockedById !== null, isUploaded })) {
    case 'workspace-locked':
      return `Waiting for the workspace to be unlocked${workspace?.lockedReason ? ` (${workspace.lockedReason})` : ''}.`
    case 'earlier-run': {
      const before = open.filter((each) => each.position < run.position && !each.isPlanOnly && !each.isSavePlan)
      return `Waiting for ${before.map((each) => `${each.id} (${each.status})`).join(', ') || 'another run'} to end.`
    }
    case 'configuration-missing':
      return 'Waiting for the configuration to be uploaded.'
    case undefined:
      return 'Starting.'
  }
}
