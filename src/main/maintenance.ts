import { join } from 'node:path'
import { claimDirectory } from '../platform/blobs/claim-directory.ts'
import { readReferences } from '../platform/blobs/references.ts'
import { sweepBlobs } from '../platform/blobs/sweep-blobs.ts'
import { pruneJobs } from '../platform/jobs/prune-jobs.ts'
import { pruneEvents } from '../platform/outbox/prune-events.ts'
import type { Runs } from '../runs/index.ts'
import type { State } from '../state/index.ts'
import type { Workspaces } from '../workspaces/index.ts'
import type { Platform } from './compose-platform.ts'
import { enforceRetention } from './enforce-retention.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const QUEUE = 'maintenance'
const LEASE_MS = 60_000
/** After the first start of all, which has other things to do. */
const FIRST_MS = 10 * 60_000
const KEEP_EVENTS_MS = 14 * DAY_MS
const KEEP_JOBS_MS = 14 * DAY_MS
const YOUNG_BLOB_MS = HOUR_MS
const BLOB_TRASH_MS = DAY_MS

type Task = { everyMs: number; work(signal: AbortSignal): Promise<Record<string, number>> }

type Deps = {
  platform: Pick<Platform, 'db' | 'clock' | 'jobs' | 'log' | 'installationId'>
  dataDir: string
  workspaces: Pick<Workspaces, 'listLimitedWorkspaces'>
  state: Pick<State, 'deleteOlder' | 'purgeDeleted' | 'resumeProcessing'>
  runs: Pick<Runs, 'deleteOlderConfigurations' | 'purgeDeletedConfigurations'>
}

/**
 * What is to be done now and then, by one server at a time: each task is one job that never ends but waits for its next time, so that a
 * restart neither repeats nor forgets it.
 */
export const makeMaintenance = ({ platform, dataDir, workspaces, state, runs }: Deps) => {
  const { db, clock, jobs, log, installationId } = platform
  const directory = join(dataDir, 'blobs')
  const ago = (ms: number): Date => new Date(clock.now().getTime() - ms)

  const tasks: Record<string, Task> = {
    retention: { everyMs: HOUR_MS, work: (signal) => enforceRetention({ clock, workspaces, state, runs }, signal) },
    /** Large states that another server has left, or that could not be looked into. */
    states: { everyMs: HOUR_MS, work: async () => ({ resumed: await state.resumeProcessing() }) },
    rows: {
      everyMs: 6 * HOUR_MS,
      work: async (signal) => ({
        events: await pruneEvents(db, ago(KEEP_EVENTS_MS), signal),
        jobs: await pruneJobs(db, ago(KEEP_JOBS_MS), signal),
      }),
    },
    blobs: {
      everyMs: 6 * HOUR_MS,
      work: async (signal) => {
        if (!(await claimDirectory(directory, installationId))) {
          log.warn({ directory }, 'the blobs belong to another installation and are not swept')
          return {}
        }
        const references = await readReferences(db, signal)
        return sweepBlobs({ directory, clock, youngMs: YOUNG_BLOB_MS, trashMs: BLOB_TRASH_MS }, references, signal)
      },
    },
  }

  const schedule = (key: string, inMs: number): Promise<void> =>
    db.transaction((tx) =>
      jobs.enqueue(tx, { queue: QUEUE, key, payload: { task: key }, runAt: ago(-inMs), maxAttempts: Number.MAX_SAFE_INTEGER }),
    )

  return {
    start: async (): Promise<void> => {
      await claimDirectory(directory, installationId)
      for (const key of Object.keys(tasks)) await schedule(key, FIRST_MS)
      jobs.start({
        queue: QUEUE,
        concurrency: 1,
        leaseMs: LEASE_MS,
        handle: async ({ task: key }, { signal }) => {
          const task = tasks[String(key)]
          if (task === undefined) return
          const done = await task.work(signal)
          if (Object.values(done).some((count) => count > 0)) log.info({ task: key, ...done }, 'maintenance')
          await schedule(String(key), task.everyMs)
        },
      })
    },
  }
}
