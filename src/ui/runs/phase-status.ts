import { type PhaseRow, type RunRow, isFinal } from '../../runs/index.ts'
import type { Status } from '../components/status-pill.tsx'

/** How a plan or an apply stands, in the words of people. */
export const phaseStatus = (
  phase: Pick<PhaseRow, 'status' | 'kind'>,
  run: Pick<RunRow, 'status' | 'isPlanOnly' | 'hasChanges'>,
): Status => {
  switch (phase.status) {
    case 'queued':
      return { label: 'waits for a runner', tone: 'neutral', icon: 'clock' }
    case 'running':
      return { label: 'running', tone: 'info', icon: 'spinner' }
    case 'finished':
      return { label: 'finished', tone: 'success', icon: 'check' }
    case 'errored':
      return { label: 'failed', tone: 'danger', icon: 'cross' }
    case 'canceled':
      return { label: 'canceled', tone: 'neutral', icon: 'ban' }
    case 'pending':
    case 'unreachable':
      return {
        label: phase.kind === 'plan' ? planWaits(run) : applyWaits(run),
        tone: 'neutral',
        icon: isFinal(run.status) ? 'dash' : 'clock',
      }
  }
}

const planWaits = ({ status }: Pick<RunRow, 'status'>): string => (isFinal(status) ? 'not started' : 'waits for its turn')

const applyWaits = ({ status, isPlanOnly, hasChanges }: Pick<RunRow, 'status' | 'isPlanOnly' | 'hasChanges'>): string => {
  if (isPlanOnly) return 'not part of this run'
  if (status === 'planned_and_finished') return hasChanges ? 'not started' : 'nothing to do'
  if (isFinal(status)) return 'not started'
  return status === 'planned' || status === 'planned_and_saved' ? 'waits for your confirmation' : 'waits for the plan'
}
