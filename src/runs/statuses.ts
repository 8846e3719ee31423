/** Every run status of the platform, reachable yet or not; the texts are the wire's. */
export const runStatuses = [
  'pending',
  'fetching',
  'fetching_completed',
  'pre_plan_running',
  'pre_plan_completed',
  'queuing',
  'plan_queued',
  'planning',
  'planned',
  'post_plan_running',
  'post_plan_completed',
  'post_plan_awaiting_decision',
  'cost_estimating',
  'cost_estimated',
  'policy_checking',
  'policy_override',
  'policy_soft_failed',
  'policy_checked',
  'planned_and_saved',
  'planned_and_finished',
  'confirmed',
  'pre_apply_running',
  'pre_apply_completed',
  'queuing_apply',
  'apply_queued',
  'applying',
  'post_apply_running',
  'post_apply_completed',
  'applied',
  'discarded',
  'errored',
  'canceled',
] as const

export type RunStatus = (typeof runStatuses)[number]

export type PhaseStatus = 'pending' | 'queued' | 'running' | 'finished' | 'errored' | 'canceled' | 'unreachable'

const finals: ReadonlySet<RunStatus> = new Set([
  'applied',
  'planned_and_finished',
  'policy_soft_failed',
  'discarded',
  'errored',
  'canceled',
])
export const isFinal = (status: RunStatus): boolean => finals.has(status)
export const finalStatuses = runStatuses.filter(isFinal)
export const nonFinalStatuses = runStatuses.filter((status) => !isFinal(status))

/** `filter[status_group]=discardable`. */
export const discardableStatuses: readonly RunStatus[] = [
  'planned',
  'planned_and_saved',
  'cost_estimated',
  'policy_checked',
  'policy_override',
  'post_plan_running',
  'post_plan_completed',
]

const cancelables: ReadonlySet<RunStatus> = new Set([
  'pending',
  'fetching',
  'fetching_completed',
  'pre_plan_running',
  'pre_plan_completed',
  'queuing',
  'plan_queued',
  'planning',
  'post_plan_running',
  'cost_estimating',
  'policy_checking',
  'confirmed',
  'pre_apply_running',
  'pre_apply_completed',
  'queuing_apply',
  'apply_queued',
  'applying',
  'post_apply_running',
])
export const isCancelable = (status: RunStatus): boolean => cancelables.has(status)

/** Plan is done and no check is outstanding: what a confirmation may follow. */
const lastBeforeApply: ReadonlySet<RunStatus> = new Set(['planned', 'post_plan_completed', 'cost_estimated', 'policy_checked'])
export const isLastBeforeApply = (status: RunStatus): boolean => lastBeforeApply.has(status)

/** Waits for its turn or for a runner. */
const waiting: readonly RunStatus[] = ['pending', 'fetching', 'queuing', 'plan_queued', 'confirmed', 'queuing_apply', 'apply_queued']
export const isWaitingForRunner = (status: RunStatus): boolean => waiting.includes(status)

/** In the queue of an organization: waiting, or being served. */
export const queuedStatuses: readonly RunStatus[] = [...waiting, 'planning', 'applying']

/** A worker of the phase may be at work. */
export const isExecuting = (status: RunStatus): boolean => status === 'planning' || status === 'applying'

export const isPhaseFinal = (status: PhaseStatus): boolean =>
  status === 'finished' || status === 'errored' || status === 'canceled' || status === 'unreachable'
