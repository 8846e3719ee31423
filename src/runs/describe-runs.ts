import type { Permission } from '../organizations/index.ts'
import type { Ctx } from '../platform/context.ts'
import { groupBy } from '../platform/group-by.ts'
import { plainBytes } from '../platform/secrets/envelope.ts'
import { cancelPermission } from './act-on-run.ts'
import type { RunDeps } from './deps.ts'
import { listComments, listRunEvents } from './event-queries.ts'
import { explainWaits } from './explain-waits.ts'
import { listQueuedRunIds } from './list-queries.ts'
import type { Comment, RunEventRow, RunRow, RunVariable } from './run.ts'

/** A run with everything that its resource shows. */
export type RunView = {
  run: RunRow
  events: RunEventRow[]
  comments: Comment[]
  /** As sent by the client. */
  variables: RunVariable[]
  /** How many runs of the organization are served before it; 0 once it is being served. */
  positionInQueue: number
  /** Why it does not go on by itself. */
  waiting: string | undefined
  permissions: ReadonlySet<Permission>
  canCancel: boolean
  now: Date
}

/** Loads what belongs to the runs in one go per kind. */
export const describeRuns = async (d: RunDeps, ctx: Ctx, runs: RunRow[]): Promise<RunView[]> => {
  if (runs.length === 0) return []
  const ids = runs.map((run) => run.id)
  const [events, comments] = [await listRunEvents(d.db, ids), await listComments(d.db, ids)]
  const eventsOf = groupBy(events, (event) => event.runId)
  const commentsOf = groupBy(comments, (comment) => comment.runId)
  const positions = new Map<string, number>()
  for (const organizationId of new Set(runs.filter((run) => run.status === 'pending').map((run) => run.organizationId))) {
    for (const [index, id] of (await listQueuedRunIds(d.db, organizationId)).entries()) positions.set(id, index)
  }
  const waits = await explainWaits(d, runs)
  const now = d.clock.now()
  const views: RunView[] = []
  for (const run of runs) {
    const permissions = await d.permissionsOf(ctx, run.organizationId, run.workspaceId)
    views.push({
      run,
      events: eventsOf.get(run.id) ?? [],
      comments: commentsOf.get(run.id) ?? [],
      variables: runVariables(d, run),
      positionInQueue: run.status === 'pending' ? (positions.get(run.id) ?? 0) : 0,
      waiting: waits.get(run.id),
      permissions,
      canCancel: permissions.has(cancelPermission(run, ctx)),
      now,
    })
  }
  return views
}

const NONE = '[]'

/** Most runs have none, which shows in the length: a list opens no seal for that. */
export const runVariables = (d: Pick<RunDeps, 'envelope'>, { id, variablesSealed }: RunRow): RunVariable[] =>
  plainBytes(variablesSealed) === NONE.length
    ? []
    : // safe because createRun wrote the text
      (JSON.parse(d.envelope.openText(variablesSealed, `runs/${id}/variables`)) as RunVariable[])
