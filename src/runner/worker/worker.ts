import {
  CancelMode,
  type Lease,
  type LeaseRequest,
  Phase,
  ShowKind,
  type ShutdownRequest,
  type StepEvent,
} from '../gen/runner/v1/runner.ts'
import { type Runner, RunnerError } from '../runner.ts'
import { checkOrder, type StepKind } from './check-order.ts'
import { createRunDirectory } from './files/create-run-directory.ts'
import { removeRunDirectory } from './files/remove-run-directory.ts'
import { greet } from './greet.ts'
import { makeDeadline } from './make-deadline.ts'
import { makeLease } from './make-lease.ts'
import { makeLiveness } from './make-liveness.ts'
import { makeOperations } from './make-operations.ts'
import { makeSession } from './make-session.ts'
import type { WorkerOptions } from './options.ts'
import { receiveUpload } from './receive-upload.ts'
import { replaceAccess } from './replace-access.ts'
import { runStep } from './run-step.ts'
import { sendDownload } from './send-download.ts'
import type { Session, Step } from './session.ts'
import { apply } from './steps/apply.ts'
import { detectDrift } from './steps/detect-drift.ts'
import { init } from './steps/init.ts'
import { output } from './steps/output.ts'
import { plan } from './steps/plan.ts'
import { prepare } from './steps/prepare.ts'
import { providerSchemas } from './steps/provider-schemas.ts'
import { show } from './steps/show.ts'
import { streamState } from './stream-state.ts'

const MINUTE_MS = 60_000
const ACK_MS = 2000
const LOG_LIMIT_BYTES = 1024 * 1024 * 1024

const SHOW_NAMES = new Map<ShowKind, string>([
  [ShowKind.PLAN_JSON, 'show-plan-json'],
  [ShowKind.PLAN_TEXT, 'show-plan-text'],
  [ShowKind.STATE_JSON, 'show-state-json'],
])

/**
 * A runner: executes one phase of one run with a real engine, then is of no further use. It decides nothing and knows no
 * platform but its caller. Steps go on when their streams are lost; only cancel, the deadline or silence ends them.
 */
export const makeWorker = (options: WorkerOptions): Runner => {
  const { clock, isolation, log } = options
  if (isolation !== undefined && (isolation.uid === 0 || isolation.uid === process.getuid?.()))
    throw new Error('isolation needs a user of its own, neither root nor the user of the worker')

  const lease = makeLease()
  const operations = makeOperations(clock, options.logLimitBytes ?? LOG_LIMIT_BYTES)
  let greeted = false
  let closed = false
  let opening: Promise<Session> | undefined
  let session: Session | undefined
  let stateReader: symbol | undefined

  const deadline = makeDeadline(clock, () => session?.stop.interrupt('timed-out'))
  const liveness = makeLiveness(clock, () => {
    log.warn('nobody has asked for this phase for too long, it is being ended')
    session?.stop.interrupt('orphaned')
    void operations.idle().then(() => options.onOrphaned?.())
  })

  const sessionOf = (given: Lease | undefined): Session => {
    if (closed) throw new RunnerError('UNAVAILABLE', 'This runner has been shut down.')
    lease.check(given)
    if (session === undefined) throw new RunnerError('FAILED_PRECONDITION', 'Acquire the lease first.')
    liveness.touch()
    return session
  }

  async function* follow<R extends { lease: Lease | undefined; opId: string }>(
    kind: StepKind,
    name: string | undefined,
    step: Step<R>,
    request: R,
  ): AsyncGenerator<StepEvent> {
    const current = sessionOf(request.lease)
    if (name === undefined) throw new RunnerError('INVALID_ARGUMENT', 'This runner cannot show that.')
    let operation = operations.find(request.opId, name)
    if (operation === undefined) {
      checkOrder(kind, current, operations.running)
      operation = operations.start(request.opId, name, current, async (events) => {
        const result = await runStep(current, step, request, events)
        if (kind === 'apply') current.outbox.finish()
        return result
      })
      if (kind === 'prepare') current.prepareStarted = true
      if (kind === 'apply') current.applyStarted = true
    }
    yield* operation.follow(0, () => lease.check(request.lease))
  }
  const run = <R extends { lease: Lease | undefined; opId: string }>(
    kind: StepKind,
    name: string | undefined,
    step: Step<R>,
    request: R,
  ): AsyncIterable<StepEvent> => liveness.during(follow(kind, name, step, request))

  const showIdentity = ({ certificatePem = '', privateKeyPem = '' }: Pick<LeaseRequest, 'certificatePem' | 'privateKeyPem'>): void => {
    if (certificatePem !== '') options.onIdentity?.({ certificatePem, privateKeyPem })
  }

  const watch = ({ phase }: Lease, deadlineUnixMs: number): void => {
    deadline.set(deadlineUnixMs)
    liveness.start(options.orphanGraceMs ?? (phase === Phase.APPLY ? 10 * MINUTE_MS : 2 * MINUTE_MS))
  }

  const openSession = async (taken: Lease): Promise<Session> => {
    const made = makeSession(taken, options)
    await createRunDirectory(made.paths, isolation)
    return made
  }

  const closeSession = async (request: ShutdownRequest): Promise<void> => {
    const { paths, outbox, stop } = sessionOf(request.lease)
    if (operations.running !== undefined)
      throw new RunnerError('FAILED_PRECONDITION', `The step ${operations.running} is still running. Cancel it first.`)
    // The last acknowledgement may still be on its way, on another stream than this call.
    if (request.cleanup && !(await outbox.drained(ACK_MS)))
      throw new RunnerError('FAILED_PRECONDITION', 'There are states that were not acknowledged. Shut down without clean-up.')
    closed = true
    deadline.dispose()
    liveness.dispose()
    stop.dispose()
    outbox.wake()
    await operations.close()
    await session?.snapshot?.catch(() => undefined)
    if (request.cleanup) await removeRunDirectory(paths.root)
  }

  return {
    async handshake(request) {
      const reply = greet(request, options, lease.current, operations.states)
      greeted = true
      return reply
    },
    async acquireLease(request) {
      if (closed) throw new RunnerError('UNAVAILABLE', 'This runner has been shut down.')
      if (!greeted) throw new RunnerError('FAILED_PRECONDITION', 'Shake hands first.')
      if (lease.current !== undefined && request.certificatePem !== undefined)
        throw new RunnerError('FAILED_PRECONDITION', 'This runner has a phase, and its name.')
      const taken = lease.acquire(request)
      opening ??= openSession(taken)
      session = await opening.catch((error: unknown) => {
        opening = undefined
        lease.release()
        throw error
      })
      showIdentity(request)
      watch(taken, request.deadlineUnixMs)
      // Streams of a lower epoch look up and end.
      session.outbox.wake()
      return { lease: taken }
    },
    async upload(frames) {
      const release = liveness.hold()
      return receiveUpload(frames, (header) => sessionOf(header.lease)).finally(release)
    },
    download(request) {
      const chunks = async function* () {
        yield* sendDownload(sessionOf(request.lease), request.kind, () => lease.check(request.lease))
      }
      return liveness.during(chunks())
    },
    prepare: (request) => run('prepare', 'prepare', prepare, request),
    init: (request) => run('init', 'init', init, request),
    detectDrift: (request) => run('drift', 'drift', detectDrift, request),
    plan: (request) => run('plan', 'plan', plan, request),
    apply: (request) => run('apply', 'apply', apply, request),
    show: (request) => run(request.kind === ShowKind.STATE_JSON ? 'show-state' : 'show-plan', SHOW_NAMES.get(request.kind), show, request),
    output: (request) => run('output', 'output', output, request),
    providerSchemas: (request) => run('provider-schemas', 'provider-schemas', providerSchemas, request),
    attach(request) {
      const events = async function* () {
        sessionOf(request.lease)
        const operation = operations.find(request.opId)
        if (operation === undefined) throw new RunnerError('NOT_FOUND', `There is no operation ${JSON.stringify(request.opId)}.`)
        yield* operation.follow(request.fromSeq, () => lease.check(request.lease))
      }
      return liveness.during(events())
    },
    stateStream(acks) {
      const reader = Symbol('state reader')
      return liveness.during(
        streamState(acks, {
          check: sessionOf,
          // The newest reader takes over from the one before.
          claim: () => {
            stateReader = reader
          },
          isCurrent: () => !closed && stateReader === reader,
        }),
      )
    },
    async cancel(request) {
      const { stop } = sessionOf(request.lease)
      if (request.mode !== CancelMode.INTERRUPT && request.mode !== CancelMode.KILL)
        throw new RunnerError('INVALID_ARGUMENT', 'A cancel has mode INTERRUPT or KILL.')
      if (request.mode === CancelMode.KILL) stop.kill()
      else stop.interrupt('canceled')
      return { delivered: operations.running !== undefined }
    },
    async rebind(request) {
      const current = sessionOf(request.lease)
      if (operations.running !== undefined || current.stop.reason !== undefined || !current.planSucceeded)
        throw new RunnerError('FAILED_PRECONDITION', 'Only after a plan that succeeded, and was not stopped, can its apply follow here.')
      const next = lease.rebind(request.next)
      await replaceAccess(current, request)
      current.phase = next.phase
      watch(next, request.deadlineUnixMs)
      showIdentity(request)
      return { lease: next }
    },
    async status(request) {
      if (request.lease !== undefined) sessionOf(request.lease)
      return { lease: lease.current, operations: operations.states, unackedSnapshots: session?.outbox.unacked ?? 0 }
    },
    async shutdown(request) {
      if (lease.current !== undefined) await closeSession(request)
      closed = true
      options.onShutdown?.()
      return {}
    },
  }
}
