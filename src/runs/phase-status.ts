import { isFinal, isPhaseFinal, type PhaseStatus, type RunStatus } from './statuses.ts'

/** Status of the plan when its run enters `status`; `now` is what it was. */
export const planStatusFor = (status: RunStatus, now: PhaseStatus): PhaseStatus => {
  if (isPhaseFinal(now)) return now
  if (status === 'queuing' || status === 'plan_queued') return 'queued'
  if (status === 'planning') return 'running'
  if (status === 'errored') return now === 'pending' ? 'unreachable' : 'errored'
  if (status === 'canceled') return now === 'pending' ? 'unreachable' : 'canceled'
  if (status === 'discarded') return 'unreachable'
  return now === 'running' ? 'finished' : now
}

/** Status of the apply when its run enters `status`. It is `unreachable` when the run ends without one. */
export const applyStatusFor = (status: RunStatus, now: PhaseStatus): PhaseStatus => {
  if (isPhaseFinal(now)) return now
  if (status === 'queuing_apply' || status === 'apply_queued') return 'queued'
  if (status === 'applying') return 'running'
  if (status === 'applied') return 'finished'
  if (status === 'errored' && now !== 'pending') return 'errored'
  if (status === 'canceled' && now !== 'pending') return 'canceled'
  return isFinal(status) ? 'unreachable' : now
}

/** Key of `status-timestamps` of a run. */
export const runStampKey = (status: RunStatus): string => `${status === 'fetching_completed' ? 'fetched' : status.replaceAll('_', '-')}-at`

/** Key of `status-timestamps` of a plan or an apply; undefined when the status has none. */
export const phaseStampKey = (status: PhaseStatus): string | undefined => {
  switch (status) {
    case 'running':
      return 'started-at'
    case 'unreachable':
      return undefined
    case 'pending':
    case 'queued':
    case 'finished':
    case 'errored':
    case 'canceled':
      return `${status}-at`
  }
}
