import { join } from 'node:path'
import { type Lease, Phase } from '../gen/runner/v1/runner.ts'
import { makeEngine } from './engine/make-engine.ts'
import { makeStop } from './engine/make-stop.ts'
import { makeMask } from './mask/make-mask.ts'
import type { WorkerOptions } from './options.ts'
import { runPaths } from './run-directory.ts'
import type { Session } from './session.ts'
import { makeStateOutbox } from './state/make-state-outbox.ts'

const MINUTE_MS = 60_000

/** Everything of a phase that has just begun; the directory is made by the caller. */
export const makeSession = (lease: Lease, { workRoot, isolation, setpriv, log, interruptGraceMs }: WorkerOptions): Session => {
  const paths = runPaths(join(workRoot, lease.runId))
  const engine = makeEngine(paths, { isolation, setpriv })
  const session: Session = {
    phase: lease.phase,
    paths,
    isolation,
    engine,
    stop: makeStop(engine, () => interruptGraceMs ?? (session.phase === Phase.APPLY ? 10 * MINUTE_MS : MINUTE_MS)),
    outbox: makeStateOutbox(paths.journal),
    log: log.child({ runId: lease.runId }),
    uploads: new Map(),
    artifacts: new Map(),
    secrets: [],
    mask: makeMask([]),
    prepared: undefined,
    prepareStarted: false,
    initialised: false,
    snapshot: undefined,
    planned: false,
    planSucceeded: false,
    applyStarted: false,
  }
  return session
}
