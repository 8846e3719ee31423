import { errorMessage } from '../errors.ts'
import type { JobStatus } from './queue.ts'

export type JobOutcome = { kind: 'done' } | { kind: 'failed'; error: unknown } | { kind: 'interrupted' }

type Running = { claimedRunAt: Date; runAt: Date; attempts: number; maxAttempts: number }

/** Columns of the row after a run of the job. */
export type JobEnd = { status: JobStatus; runAt: Date; attempts: number; lastError: string | null; isOpen: boolean }

const FIRST_BACKOFF_MS = 1000
const MAX_BACKOFF_MS = 600_000
const MAX_ERROR_LENGTH = 1000

/** Between half of and the whole of 1 s, 2 s, 4 s … 10 min after attempt 1, 2, 3 …; `random` is in [0, 1). */
export const backoffMs = (attempts: number, random: number): number =>
  Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempts - 1)) * (0.5 + random / 2)

/**
 * What becomes of a job whose run has ended. One that was enqueued again meanwhile (its `runAt` moved) starts afresh;
 * one that the shutdown interrupted waits without having used up an attempt.
 */
export const decideEnd = (job: Running, outcome: JobOutcome, now: Date, random: number): JobEnd => {
  const lastError = outcome.kind === 'failed' ? errorMessage(outcome.error).slice(0, MAX_ERROR_LENGTH) : null
  const isWantedAgain = job.runAt.getTime() !== job.claimedRunAt.getTime()
  if (outcome.kind === 'interrupted') return { status: 'queued', runAt: job.runAt, attempts: job.attempts - 1, lastError, isOpen: true }
  if (outcome.kind === 'failed' && job.attempts < job.maxAttempts) {
    const runAt = new Date(now.getTime() + backoffMs(job.attempts, random))
    return { status: 'queued', runAt, attempts: job.attempts, lastError, isOpen: true }
  }
  if (isWantedAgain) return { status: 'queued', runAt: job.runAt, attempts: 0, lastError, isOpen: true }
  const status = outcome.kind === 'done' ? 'done' : 'dead'
  return { status, runAt: job.runAt, attempts: job.attempts, lastError, isOpen: false }
}
