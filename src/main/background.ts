import { errorMessage } from '../platform/errors.ts'
import type { Jobs } from '../platform/jobs/jobs.ts'
import type { Leases } from '../platform/leases.ts'
import type { Log } from '../platform/log.ts'
import type { Outbox } from '../platform/outbox/outbox.ts'
import { finalPhaseEvents, type Runs } from '../runs/index.ts'
import type { Tables } from './schema.ts'

const SWEEP_MS = 5000
const PACK_LEASE_MS = 60_000
const PACK_LOGS = 'pack-logs'

type Deps = { outbox: Pick<Outbox<Tables>, 'listen' | 'consume'>; jobs: Jobs; leases: Leases; runs: Runs; log: Log }

/**
 * What happens by itself: an unlocked workspace starts its next run, the logs of a finished run are packed, saved plans that cannot be applied any
 * more are discarded, and one replica looks after queues that a lost wake-up left standing.
 */
export const makeBackground = ({ outbox, jobs, leases, runs, log }: Deps) => {
  const report = (what: string) => (error: unknown) => log.warn({ error: errorMessage(error) }, what)
  let timer: NodeJS.Timeout | undefined
  let forget = (): void => undefined

  outbox.consume({
    name: 'finished-runs',
    handle: async (tx, event) => {
      if (finalPhaseEvents.has(event.type))
        await jobs.enqueue(tx, { queue: PACK_LOGS, key: event.subject, payload: { runId: event.subject } })
    },
  })

  outbox.consume({
    name: 'stale-plans',
    handle: async (tx, event) => {
      const workspaceId = event.payload['workspaceId']
      if (event.type === 'state-version.promoted' && typeof workspaceId === 'string') await runs.discardStalePlans(tx, workspaceId)
    },
  })

  const sweep = async (): Promise<void> => {
    if ((await leases.acquire('run-queues', 2 * SWEEP_MS)) === undefined) return
    await runs.advanceAllQueues()
    await runs.discardOldPlans()
  }

  return {
    start: (): void => {
      forget = outbox.listen((event) => {
        if (event.type === 'workspace.unlocked')
          void runs.advanceWorkspace(event.subject).catch(report('the queue of an unlocked workspace could not be advanced'))
      })
      jobs.start({
        queue: PACK_LOGS,
        concurrency: 1,
        leaseMs: PACK_LEASE_MS,
        handle: async ({ runId }) => {
          if (typeof runId === 'string') await runs.packLogs(runId)
        },
      })
      timer = setInterval(() => void sweep().catch(report('queues could not be advanced')), SWEEP_MS)
    },
    stop: async (): Promise<void> => {
      forget()
      clearInterval(timer)
      await jobs.stop()
    },
  }
}
