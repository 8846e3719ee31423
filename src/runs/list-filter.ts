import { and, eq, gte, inArray, isNotNull, isNull, lt, or, sql, type SQL } from 'drizzle-orm'
import { contains } from '../platform/db/contains.ts'
import type { RunDb } from './run.ts'
import { discardableStatuses, finalStatuses, nonFinalStatuses, runStatuses, type RunStatus } from './statuses.ts'

/** What a list of runs is narrowed by, as the client wrote it. */
export type ListFilter = {
  statuses?: string[] | undefined
  statusGroup?: string | undefined
  sources?: string[] | undefined
  operations?: string[] | undefined
  workspaceNames?: string[] | undefined
  agentPoolNames?: string[] | undefined
  /** `year`: the past one; a number: that calendar year. */
  timeframe?: string | undefined
  user?: string | undefined
  commit?: string | undefined
  basic?: string | undefined
}

const NOTHING = sql`1 = 0`
const YEAR_MS = 365 * 86_400_000

/** All that is given must hold; a value that is unknown matches nothing. Without operations the plan-only runs are left out. */
export const listCondition = ({ t }: Pick<RunDb, 't'>, filter: ListFilter, now: Date): SQL | undefined => {
  const { runs } = t
  const parts: (SQL | undefined)[] = []
  if (filter.statuses !== undefined) {
    const known = runStatuses.filter((status) => filter.statuses?.includes(status))
    parts.push(known.length === 0 ? NOTHING : inArray(runs.status, known))
  }
  if (filter.statusGroup !== undefined) {
    const group = statusGroups[filter.statusGroup]
    parts.push(group === undefined ? NOTHING : inArray(runs.status, [...group]))
  }
  if (filter.sources !== undefined) parts.push(inArray(runs.source, filter.sources))
  parts.push(operations(t, filter.operations))
  if (filter.workspaceNames !== undefined) {
    const keys = filter.workspaceNames.map((name) => name.toLowerCase())
    parts.push(inArray(t.workspaces.nameKey, keys))
  }
  if (filter.timeframe !== undefined) parts.push(createdIn(t, filter.timeframe, now))
  // Commits and agent pools belong to things that no run has yet.
  if (filter.commit !== undefined || filter.agentPoolNames !== undefined) parts.push(NOTHING)
  if (filter.user !== undefined) parts.push(createdBy(t, filter.user))
  if (filter.basic !== undefined && filter.user === undefined && filter.commit === undefined) {
    parts.push(or(eq(runs.id, filter.basic), contains(runs.message, filter.basic), createdBy(t, filter.basic)))
  }
  return and(...parts)
}

const createdBy = ({ runs, users }: RunDb['t'], name: string): SQL =>
  sql`${runs.createdByUserId} in (select ${users.id} from ${users} where ${contains(users.username, name)})`

const createdIn = ({ runs }: RunDb['t'], timeframe: string, now: Date): SQL | undefined => {
  if (timeframe === 'year') return gte(runs.createdAt, new Date(now.getTime() - YEAR_MS))
  if (!/^\d{4}$/.test(timeframe)) return NOTHING
  const beginOf = (year: number): Date => new Date(Date.UTC(year, 0))
  return and(gte(runs.createdAt, beginOf(Number(timeframe))), lt(runs.createdAt, beginOf(Number(timeframe) + 1)))
}

const statusGroups: Record<string, readonly RunStatus[] | undefined> = {
  final: finalStatuses,
  non_final: nonFinalStatuses,
  discardable: discardableStatuses,
}

const operations = (t: RunDb['t'], names: string[] | undefined): SQL | undefined =>
  names === undefined ? eq(t.runs.isPlanOnly, false) : (or(...names.map((name) => operation(t, name))) ?? NOTHING)

const operation = ({ runs }: RunDb['t'], name: string): SQL | undefined => {
  switch (name) {
    case 'plan_only':
      return eq(runs.isPlanOnly, true)
    case 'save_plan':
      return eq(runs.isSavePlan, true)
    case 'refresh_only':
      return and(eq(runs.isRefreshOnly, true), isNull(runs.invokeActionAddrs))
    case 'action_only':
      return isNotNull(runs.invokeActionAddrs)
    case 'destroy':
      return eq(runs.isDestroy, true)
    case 'empty_apply':
      return eq(runs.allowEmptyApply, true)
    case 'plan_and_apply':
      return and(
        eq(runs.isPlanOnly, false),
        eq(runs.isSavePlan, false),
        eq(runs.isRefreshOnly, false),
        eq(runs.isDestroy, false),
        eq(runs.allowEmptyApply, false),
      )
    default:
      return NOTHING
  }
}
