import type { FC, PropsWithChildren } from 'hono/jsx'
import type { PhaseRow, RunRow } from '../../runs/index.ts'
import { ElapsedTime } from '../components/elapsed-time.tsx'
import { Icon } from '../components/icon.tsx'
import { phaseStatus } from './phase-status.ts'
import { PhaseCounts } from './phase-counts.tsx'

/** A plan or an apply: how it stands, what belongs to it, its log. */
export const Stage: FC<PropsWithChildren<{ phase: PhaseRow; run: RunRow }>> = ({ phase, run, children }) => {
  const status = phaseStatus(phase, run)
  const stamp = (key: string): Date | undefined => {
    const text = phase.statusTimestamps[key]
    return text === undefined ? undefined : new Date(text)
  }
  const startedAt = stamp('started-at')
  const endedAt = stamp('finished-at') ?? stamp('errored-at') ?? stamp('canceled-at')
  const hasLog = phase.logBytes > 0 || !['pending', 'unreachable'].includes(phase.status)
  return (
    <li class="stage" aria-label={phase.kind === 'plan' ? 'Plan' : 'Apply'}>
      <div class="stage-head" data-live={`${phase.kind}-head`}>
        <span class={`stage-mark tone-${status.tone}`}>
          <Icon name={status.icon} />
        </span>
        <h2>{phase.kind === 'plan' ? 'Plan' : 'Apply'}</h2>
        <span class="stage-status">{status.label}</span>
        <PhaseCounts phase={phase} />
        {startedAt && (
          <span class="muted stage-time">
            <ElapsedTime from={startedAt} to={endedAt} />
          </span>
        )}
      </div>
      {children}
      <div class="stage-log" hidden={!hasLog}>
        <run-log data-phase={phase.kind}></run-log>
        <p class="log-foot">
          <a href={`?log=${phase.kind}`}>Raw log</a>
        </p>
      </div>
    </li>
  )
}
