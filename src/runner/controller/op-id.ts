import type { JobRow } from './deps.ts'

/** Id of a step's operation on the runner: the same at every try, so that it is started once. */
export const opIdOf = (job: Pick<JobRow, 'id'>, step: string): string => `${job.id}-${step}`

/** The step of the job that an operation belongs to; undefined for one of another job. */
export const stepOfOpId = (job: Pick<JobRow, 'id'>, opId: string): string | undefined =>
  opId.startsWith(`${job.id}-`) ? opId.slice(job.id.length + 1) : undefined
