import { errorMessage } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Outbox } from '../platform/outbox/outbox.ts'
import type { Runs } from '../runs/index.ts'
import { finalPhaseEvents } from '../runs/index.ts'

const SWEEP_MS = 5000

/** What runs do when something happens elsewhere: an unlocked workspace starts its next run, a finished run's logs are packed. */
export const watchQueues = ({ outbox, runs, log }: { outbox: Pick<Outbox, 'listen'>; runs: Runs; log: Log }) => {
  const report = (what: string) => (error: unknown) => log.warn({ error: errorMessage(error) }, what)
  let timer: NodeJS.Timeout | undefined
  let forget = (): void => undefined
  return {
    start: (): void => {
      forget = outbox.listen((event) => {
        if (event.type === 'workspace.unlocked')
          void runs.advanceWorkspace(event.subject).catch(report('the queue of an unlocked workspace could not be advanced'))
        if (finalPhaseEvents.has(event.type)) void runs.packLogs(event.subject).catch(report('logs could not be packed'))
      })
      timer = setInterval(() => void runs.advanceAllQueues().catch(report('queues could not be advanced')), SWEEP_MS)
    },
    stop: (): void => {
      forget()
      clearInterval(timer)
    },
  }
}
