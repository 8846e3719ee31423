import type { JobRow } from './deps.ts'

type Progress = Pick<JobRow, 'id' | 'status' | 'attempt' | 'step' | 'stepSeq' | 'lastStateSeq' | 'results'>

export type FailureCount = {
  /** One more failure of the job. Answers how many there were since it last got on. */
  note(job: Progress): number
  forget(jobId: string): void
}

/** Counts how often a controller failed at a job without getting any further with it. */
export const makeFailureCount = (): FailureCount => {
  const counts = new Map<string, { mark: string; count: number }>()
  return {
    note: (job) => {
      const mark = markOf(job)
      const before = counts.get(job.id)
      const count = before?.mark === mark ? before.count + 1 : 1
      counts.set(job.id, { mark, count })
      return count
    },
    forget: (jobId) => void counts.delete(jobId),
  }
}

const markOf = ({ status, attempt, step, stepSeq, lastStateSeq, results }: Progress): string =>
  [status, attempt, step, stepSeq, lastStateSeq, ...Object.keys(results).toSorted()].join(' ')
