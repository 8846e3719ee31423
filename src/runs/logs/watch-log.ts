import type { RunDeps } from '../deps.ts'
import { logTopic } from './log-topic.ts'

export type LogWatch = {
  stop(): void
  /** Another replica may write to the log too, and nobody says so: look from time to time. */
  isPartial: boolean
}

/** Calls `fn` whenever this process has added to the log of a phase. */
export const watchLog =
  ({ db }: Pick<RunDeps, 'db'>) =>
  (phaseId: string, fn: () => void): LogWatch => ({
    stop: db.onAnnounced(logTopic(phaseId), fn),
    isPartial: db.dialect === 'postgres',
  })
