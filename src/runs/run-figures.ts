import type { RunFigures } from '../workspaces/index.ts'
import type { RunRow, RunTx } from './run.ts'
import { listLastEnded, setRunFigures } from './run-figures-queries.ts'

const LAST_RUNS = 30

type Ended = Pick<RunRow, 'status' | 'statusTimestamps'>

/** Called when a run has ended, its workspace's row being locked: works the figures of the workspace out again. */
export const saveRunFigures = async (tx: RunTx, workspaceId: string): Promise<void> => {
  const last = await listLastEnded(tx, workspaceId, LAST_RUNS)
  if (last.length > 0) await setRunFigures(tx, workspaceId, figuresOf(last))
}

/** Of runs that ended applied or errored. Durations are as fine as the timestamps of runs: a second. */
export const figuresOf = (runs: readonly Ended[]): RunFigures => ({
  runs: runs.length,
  failures: runs.filter(({ status }) => status === 'errored').length,
  planAverageMs: average(runs.flatMap(({ statusTimestamps: at }) => durationMs(at['planning-at'], at['planned-at'] ?? at['errored-at']))),
  applyAverageMs: average(runs.flatMap(({ statusTimestamps: at }) => durationMs(at['applying-at'], at['applied-at'] ?? at['errored-at']))),
})

const durationMs = (from: string | undefined, to: string | undefined): number[] =>
  from === undefined || to === undefined ? [] : [Date.parse(to) - Date.parse(from)]

const average = (values: readonly number[]): number | null =>
  values.length === 0 ? null : Math.round(values.reduce((sum, value) => sum + value, 0) / values.length)
