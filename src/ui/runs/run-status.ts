import type { RunRow, RunStatus } from '../../runs/index.ts'
import type { Status } from '../components/status-pill.tsx'

type Facts = Pick<RunRow, 'status' | 'hasChanges' | 'isPlanOnly' | 'allowEmptyApply' | 'cancelRequestedAt'>

/** A run's status in the words of people. */
export const runStatus = (run: Facts): Status => {
  if (run.cancelRequestedAt !== null && (run.status === 'planning' || run.status === 'applying'))
    return { label: 'Canceling', tone: 'warning', icon: 'spinner' }
  if (run.status === 'planned' && !run.isPlanOnly && (run.hasChanges || run.allowEmptyApply))
    return { label: 'Needs confirmation', tone: 'warning', icon: 'pause' }
  if (run.status === 'planned_and_finished' && !run.hasChanges) return { label: 'No changes', tone: 'success', icon: 'check' }
  return statuses[run.status]
}

const busy = (label: string): Status => ({ label, tone: 'info', icon: 'spinner' })
const done = (label: string): Status => ({ label, tone: 'success', icon: 'check' })
const waits = (label: string): Status => ({ label, tone: 'neutral', icon: 'clock' })
const asks = (label: string): Status => ({ label, tone: 'warning', icon: 'pause' })

const statuses: Record<RunStatus, Status> = {
  pending: waits('Pending'),
  fetching: busy('Fetching'),
  fetching_completed: busy('Fetched'),
  pre_plan_running: busy('Checks before plan'),
  pre_plan_completed: busy('Checks before plan'),
  queuing: waits('Plan queued'),
  plan_queued: waits('Plan queued'),
  planning: busy('Planning'),
  planned: done('Planned'),
  post_plan_running: busy('Checks after plan'),
  post_plan_completed: done('Planned'),
  post_plan_awaiting_decision: asks('Policy override'),
  cost_estimating: busy('Estimating cost'),
  cost_estimated: done('Cost estimated'),
  policy_checking: busy('Checking policies'),
  policy_override: asks('Policy override'),
  policy_soft_failed: { label: 'Policy failed', tone: 'danger', icon: 'cross' },
  policy_checked: done('Policies passed'),
  planned_and_saved: { label: 'Plan saved', tone: 'warning', icon: 'save' },
  planned_and_finished: done('Planned'),
  confirmed: waits('Confirmed'),
  pre_apply_running: busy('Checks before apply'),
  pre_apply_completed: busy('Checks before apply'),
  queuing_apply: waits('Apply queued'),
  apply_queued: waits('Apply queued'),
  applying: busy('Applying'),
  post_apply_running: busy('Checks after apply'),
  post_apply_completed: done('Applied'),
  applied: done('Applied'),
  discarded: { label: 'Discarded', tone: 'neutral', icon: 'ban' },
  errored: { label: 'Errored', tone: 'danger', icon: 'cross' },
  canceled: { label: 'Canceled', tone: 'neutral', icon: 'ban' },
}
