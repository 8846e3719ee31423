import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { BlobKind, CancelMode, ErrorCode, LogFormat, Phase, ShowKind, StepOutcome } from '../../src/runner/gen/runner/v1/runner.ts'
import { type Runner, RunnerError } from '../../src/runner/runner.ts'
import { waitFor } from '../harness/wait-for.ts'
import {
  expectSucceeded,
  greet,
  INSTALLATION,
  leaseOf,
  makeAcks,
  makeDriver,
  planRequest,
  ran,
  receiveStates,
  resourcesIn,
  sha256,
  slugOf,
  uploadFrames,
} from './runner-driver.ts'

export type RunnerUnderTest = { runner: Runner; workRoot: string; close(): Promise<void> }

const TWO = slugOf({
  'main.tf':
    'resource "terraform_data" "a" { input = 1 }\nresource "terraform_data" "b" { input = terraform_data.a.output }\noutput "o" { value = 12345678901234567890 }\n',
})

/** Chain of resources that each take their time. */
const chain = (length: number, seconds: string): Buffer =>
  slugOf({
    'main.tf': Array.from(
      { length },
      (_, at) =>
        `resource "terraform_data" "r${at}" {\n  ${at === 0 ? '' : `input = terraform_data.r${at - 1}.id`}\n  provisioner "local-exec" { command = "sleep ${seconds}" }\n}\n`,
    ).join(''),
  })

const code = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof RunnerError ? error.code : `untyped: ${String(error)}`),
  )

/**
 * What every runner must do, whatever the transport: run it with a factory for fresh runners.
 * `makeRunner` answers a runner of installation `INSTALLATION` without a lease; errors must arrive as RunnerError. All
 * runners of one factory share a work root, because a plan is applied where it was made.
 */
export const describeRunner = (name: string, makeRunner: () => Promise<RunnerUnderTest>): void => {
  describe(`a runner, ${name}`, () => {
    const opened: RunnerUnderTest[] = []
    const fresh = async (): Promise<RunnerUnderTest> => {
      const made = await makeRunner()
      opened.push(made)
      return made
    }
    afterEach(async () => {
      for (const made of opened.splice(0)) await made.close()
    })

    const runId = (): string => `run-${randomUUID().slice(0, 8)}`

    const planned = async (slug: Buffer, run = runId()) => {
      const { runner } = await fresh()
      const driver = makeDriver(runner, leaseOf(run, Phase.PLAN))
      await driver.begin()
      await driver.upload(BlobKind.SLUG, slug)
      expectSucceeded(await driver.prepare())
      expectSucceeded(await driver.init())
      const { result, log } = await driver.plan()
      expect(result.errors).toEqual([])
      const plan = await driver.download(BlobKind.PLAN)
      const snapshot = await driver.download(BlobKind.SNAPSHOT)
      return { run, plan, snapshot, result, log, driver }
    }

    const readyToApply = async (slug: Buffer) => {
      const { run, plan, snapshot, driver: before } = await planned(slug)
      await before.shutdown()
      const { runner } = await fresh()
      const driver = makeDriver(runner, leaseOf(run, Phase.APPLY))
      await driver.begin()
      await driver.upload(BlobKind.SNAPSHOT, snapshot)
      await driver.upload(BlobKind.PLAN, plan)
      expectSucceeded(await driver.prepare())
      expectSucceeded(await driver.init())
      return { runner, driver }
    }

    it('plans and applies a configuration', async () => {
      const { driver, result, log } = await planned(TWO)
      expect(result).toMatchObject({ hasChanges: true, exitCode: 2, summary: { add: 2, change: 0, remove: 0, import: 0 } })
      expect(result.artifacts.map(({ kind }) => kind)).toEqual([BlobKind.PLAN, BlobKind.SNAPSHOT])
      expect(log).toContain('Plan: 2 to add, 0 to change, 0 to destroy.')
      expect(log).not.toContain('\u001b')
      expectSucceeded(await driver.show(ShowKind.PLAN_JSON))
      expect((await driver.download(BlobKind.PLAN_JSON)).toString()).toContain('12345678901234567890')
      expect((await driver.download(BlobKind.PLAN_JSON_REDACTED)).toString()).toContain('12345678901234567890')
      expectSucceeded(await driver.show(ShowKind.PLAN_TEXT))
      expect((await driver.download(BlobKind.PLAN_TEXT)).toString()).toContain('# terraform_data.a will be created')
      expectSucceeded(await driver.schemas())
      expect((await driver.download(BlobKind.PROVIDER_SCHEMAS)).toString()).toContain('terraform.io/builtin/terraform')
      await driver.shutdown()

      const apply = await readyToApply(TWO)
      const states = receiveStates(apply.runner, apply.driver.lease)
      const applied = await apply.driver.apply({ logFormat: LogFormat.JSON })
      expectSucceeded(applied)
      expect(applied.result.summary).toEqual({ add: 2, change: 0, remove: 0, import: 0 })
      const progress = applied.events.flatMap(({ event }) =>
        event?.$case === 'progress' ? [`${event.value.address} ${event.value.state}`] : [],
      )
      expect(progress).toEqual([
        'terraform_data.a start',
        'terraform_data.a complete',
        'terraform_data.b start',
        'terraform_data.b complete',
      ])
      const received = await states
      expect(received.at(-1)).toMatchObject({ final: true })
      const last = received.findLast(({ state }) => state.length > 0)
      expect(resourcesIn(last?.state)).toEqual(['terraform_data.a', 'terraform_data.b'])
      expect((await apply.driver.download(BlobKind.STATE)).equals(last?.state ?? Buffer.alloc(0))).toBe(true)
      expectSucceeded(await apply.driver.output())
      expect((await apply.driver.download(BlobKind.OUTPUTS_JSON)).toString()).toContain('12345678901234567890')
      expectSucceeded(await apply.driver.show(ShowKind.STATE_JSON))
      expect((await apply.driver.download(BlobKind.STATE_JSON)).toString()).toContain('terraform_data.b')
      expect(await apply.runner.status({ lease: apply.driver.lease })).toMatchObject({ unackedSnapshots: 0 })
      await apply.driver.shutdown()
    })

    it('finds no drift where there is none, and answers in JSON when asked to', async () => {
      const { runner, workRoot } = await fresh()
      const driver = makeDriver(runner, leaseOf(runId(), Phase.PLAN))
      await driver.begin()
      await driver.upload(BlobKind.SLUG, slugOf({ 'main.tf': 'locals { a = 1 }' }))
      expectSucceeded(await driver.prepare())
      const init = await driver.init({ logFormat: LogFormat.JSON })
      expectSucceeded(init)
      expect(init.log).toBe('')
      expect((await driver.drift()).result).toMatchObject({ outcome: StepOutcome.SUCCEEDED, hasChanges: false })
      expect(JSON.parse((await driver.download(BlobKind.DRIFT_JSON)).toString())).toMatchObject({ format_version: '1.2' })
      const { log } = await driver.plan({ logFormat: LogFormat.JSON })
      expect(
        log
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { type: string }).type),
      ).toContain('change_summary')
      await driver.shutdown()
      await expect(stat(`${workRoot}/${driver.lease.runId}`)).rejects.toThrow('ENOENT')
    })

    it('reports what the engine refuses as a result, with its words', async () => {
      const { runner } = await fresh()
      const driver = makeDriver(runner, leaseOf(runId(), Phase.PLAN))
      await driver.begin()
      await driver.upload(BlobKind.SLUG, slugOf({ 'main.tf': 'resource "terraform_data" "a" { input = var.nope }' }))
      expectSucceeded(await driver.prepare())
      expectSucceeded(await driver.init())
      const { result, log } = await driver.plan()
      expect(result).toMatchObject({
        outcome: StepOutcome.FAILED,
        exitCode: 1,
        errors: [{ code: ErrorCode.PLAN_FAILED, message: 'Reference to undeclared input variable' }],
      })
      expect(log).toContain('Error: Reference to undeclared input variable')
    })

    describe('handshake and lease', () => {
      it('come first', async () => {
        const { runner } = await fresh()
        const lease = leaseOf(runId(), Phase.PLAN)
        expect(await code(runner.acquireLease({ lease, deadlineUnixMs: 0 }))).toBe('FAILED_PRECONDITION')
        await greet(runner)
        expect(await code(runner.upload(uploadFrames(lease, BlobKind.SLUG, TWO)))).toBe('FAILED_PRECONDITION')
        expect(await code(runner.cancel({ lease, mode: CancelMode.KILL }))).toBe('FAILED_PRECONDITION')
      })

      it('refuse another installation, protocol and a wrong clock', async () => {
        const { runner } = await fresh()
        const hello = { protoMin: 1, protoMax: 3, installationId: INSTALLATION, controllerId: 'c', nowUnixMs: Date.now(), nonce: 'abc' }
        expect(await code(runner.handshake({ ...hello, installationId: 'other' }))).toBe('PEER_IDENTITY')
        expect(await code(runner.handshake({ ...hello, protoMin: 2 }))).toBe('INVALID_ARGUMENT')
        expect(await code(runner.handshake({ ...hello, nowUnixMs: Date.now() - 301_000 }))).toBe('CLOCK_SKEW')
        expect(await runner.handshake({ ...hello, nowUnixMs: Date.now() - 290_000 })).toMatchObject({
          proto: 1,
          nonceEcho: 'abc',
          sandbox: { level: 0 },
          operations: [],
        })
      })

      it('are bound to one phase of one run, and the higher epoch fences the lower', async () => {
        const { runner } = await fresh()
        const run = runId()
        const old = makeDriver(runner, leaseOf(run, Phase.PLAN, 2))
        await old.begin()
        expect(await code(runner.acquireLease({ lease: leaseOf(`${run}x`, Phase.PLAN, 9), deadlineUnixMs: 0 }))).toBe('OP_CONFLICT')
        expect(await code(runner.acquireLease({ lease: leaseOf(run, Phase.APPLY, 9), deadlineUnixMs: 0 }))).toBe('OP_CONFLICT')
        expect(await code(runner.acquireLease({ lease: leaseOf(run, Phase.PLAN, 1), deadlineUnixMs: 0 }))).toBe('LEASE_FENCED')
        await runner.acquireLease({ lease: leaseOf(run, Phase.PLAN, 3), deadlineUnixMs: 0 })
        expect(await code(old.upload(BlobKind.SLUG, TWO))).toBe('LEASE_FENCED')
        expect(await code(old.prepare())).toBe('LEASE_FENCED')
        expect(await code(old.download(BlobKind.PLAN))).toBe('LEASE_FENCED')
        expect(await code(runner.cancel({ lease: old.lease, mode: CancelMode.KILL }))).toBe('LEASE_FENCED')
        expect(await code(old.shutdown())).toBe('LEASE_FENCED')
        expect(
          await runner.handshake({
            protoMin: 1,
            protoMax: 1,
            installationId: INSTALLATION,
            controllerId: 'c',
            nowUnixMs: Date.now(),
            nonce: '',
          }),
        ).toMatchObject({ lease: { epoch: 3 } })
      })

      it('refuse a lease that names no directory', async () => {
        const { runner } = await fresh()
        await greet(runner)
        expect(await code(runner.acquireLease({ lease: leaseOf('../x', Phase.PLAN), deadlineUnixMs: 0 }))).toBe('INVALID_ARGUMENT')
        expect(await code(runner.acquireLease({ lease: undefined, deadlineUnixMs: 0 }))).toBe('INVALID_ARGUMENT')
      })
    })

    it('enforces the order of steps', async () => {
      const { runner } = await fresh()
      const driver = makeDriver(runner, leaseOf(runId(), Phase.PLAN))
      await driver.begin()
      expect(await code(driver.init())).toBe('FAILED_PRECONDITION')
      await driver.upload(BlobKind.SLUG, TWO)
      expectSucceeded(await driver.prepare())
      expect(await code(driver.prepare())).toBe('FAILED_PRECONDITION')
      expect(await code(driver.upload(BlobKind.SLUG, TWO))).toBe('FAILED_PRECONDITION')
      expect(await code(driver.plan())).toBe('FAILED_PRECONDITION')
      expectSucceeded(await driver.init())
      expect(await code(driver.show(ShowKind.PLAN_JSON))).toBe('FAILED_PRECONDITION')
      expect(await code(driver.apply())).toBe('FAILED_PRECONDITION')
      expect(await code(driver.download(BlobKind.PLAN))).toBe('NOT_FOUND')
      expect(await code(driver.show(ShowKind.UNSPECIFIED))).toBe('INVALID_ARGUMENT')
    })

    describe('an upload', () => {
      const began = async () => {
        const { runner } = await fresh()
        const driver = makeDriver(runner, leaseOf(runId(), Phase.PLAN))
        await driver.begin()
        return { runner, driver, lease: driver.lease }
      }

      it('is answered with its size and digest', async () => {
        const { driver } = await began()
        const data = Buffer.alloc(700_000, 'x')
        expect(await driver.upload(BlobKind.STATE, data)).toMatchObject({ bytes: 700_000, sha256: sha256(data) })
      })

      it('is refused when it is too large, by declaration or in fact', async () => {
        const { runner, lease } = await began()
        const of = async function* (kind: BlobKind, totalBytes: number, data: Buffer, digest = sha256(data)) {
          yield { frame: { $case: 'header' as const, value: { lease, kind, totalBytes } } }
          yield { frame: { $case: 'data' as const, value: { offset: 0, bytes: data } } }
          yield { frame: { $case: 'end' as const, value: { sha256: digest } } }
        }
        const data = Buffer.from('hello')
        expect(await code(runner.upload(of(BlobKind.SLUG, 2 ** 40, data)))).toBe('SLUG_TOO_LARGE')
        expect(await code(runner.upload(of(BlobKind.LOCK_FILE, 2 ** 30, data)))).toBe('RESOURCE_EXHAUSTED')
        expect(await code(runner.upload(of(BlobKind.SLUG, 4, data)))).toBe('RESOURCE_EXHAUSTED')
        expect(await code(runner.upload(of(BlobKind.SLUG, 6, data)))).toBe('INVALID_ARGUMENT')
        expect(await code(runner.upload(of(BlobKind.SLUG, 5, data, sha256(Buffer.from('other')))))).toBe('INVALID_ARGUMENT')
        expect(await code(runner.upload(of(BlobKind.PLAN_JSON, 5, data)))).toBe('INVALID_ARGUMENT')
        expect((await runner.upload(of(BlobKind.SLUG, 5, data))).bytes).toBe(5)
      })

      it('needs its header, its order and its end', async () => {
        const { runner, lease } = await began()
        const header = { frame: { $case: 'header' as const, value: { lease, kind: BlobKind.SLUG, totalBytes: 5 } } }
        const data = (offset: number) => ({ frame: { $case: 'data' as const, value: { offset, bytes: Buffer.from('hello') } } })
        const send = async function* (...frames: (typeof header | ReturnType<typeof data>)[]) {
          yield* frames
        }
        expect(await code(runner.upload(send()))).toBe('INVALID_ARGUMENT')
        expect(await code(runner.upload(send(data(0))))).toBe('INVALID_ARGUMENT')
        expect(await code(runner.upload(send(header, data(3))))).toBe('INVALID_ARGUMENT')
        expect(await code(runner.upload(send(header, data(0))))).toBe('INVALID_ARGUMENT')
      })
    })

    it('runs an operation once, however often it is asked for, and replays it from any event', async () => {
      const { runner } = await fresh()
      const driver = makeDriver(runner, leaseOf(runId(), Phase.PLAN))
      await driver.begin()
      await driver.upload(BlobKind.SLUG, TWO)
      expectSucceeded(await driver.prepare())
      expectSucceeded(await driver.init())
      const request = planRequest({ lease: driver.lease, opId: 'op-1' })
      const [first, second] = await Promise.all([ran(runner.plan(request)), ran(runner.plan(request))])
      expect(second.events).toEqual(first.events)
      const again = await ran(runner.plan(request))
      expect(again.events).toEqual(first.events)
      const tail = await ran(runner.attach({ lease: driver.lease, opId: 'op-1', fromSeq: 1 }))
      expect(tail.events).toEqual(first.events.slice(1))
      expect(await code(ran(runner.attach({ lease: driver.lease, opId: 'op-9', fromSeq: 0 })))).toBe('NOT_FOUND')
      expect(await code(ran(runner.output({ lease: driver.lease, opId: 'op-1' })))).toBe('OP_CONFLICT')
      const { operations } = await runner.status({ lease: driver.lease })
      expect(operations.find(({ opId }) => opId === 'op-1')).toEqual({
        opId: 'op-1',
        kind: 'plan',
        done: true,
        lastSeq: first.events.length,
      })
    })

    it('goes on when a stream is dropped, and can be followed again by a later controller', async () => {
      const { runner, driver } = await readyToApply(chain(3, '0.3'))
      const request = { lease: driver.lease, opId: 'op-apply', parallelism: 0, logFormat: LogFormat.TEXT }
      let seen = 0
      for await (const event of runner.apply(request)) {
        seen = event.seq
        if (event.event?.$case === 'log') break
      }
      const later = makeDriver(runner, leaseOf(driver.lease.runId, Phase.APPLY, 2))
      await later.begin()
      const states = receiveStates(runner, later.lease)
      const rest = await ran(runner.attach({ lease: later.lease, opId: 'op-apply', fromSeq: seen }))
      expect(rest.events[0]?.seq).toBe(seen + 1)
      expect(rest.result.outcome).toBe(StepOutcome.SUCCEEDED)
      expect(resourcesIn((await states).findLast(({ state }) => state.length > 0)?.state)).toHaveLength(3)
    })

    describe('a rebind', () => {
      const rebind = { deadlineUnixMs: 0, certificatePem: '', privateKeyPem: '', cliConfig: '', redact: [] }

      it('makes the runner of a plan the runner of its apply', async () => {
        const { runner } = await fresh()
        const planning = makeDriver(runner, leaseOf(runId(), Phase.PLAN))
        await planning.begin()
        await planning.upload(BlobKind.SLUG, TWO)
        expectSucceeded(await planning.prepare())
        expectSucceeded(await planning.init())
        const next = leaseOf(planning.lease.runId, Phase.APPLY)
        expect(await code(runner.rebind({ ...rebind, lease: planning.lease, next }))).toBe('FAILED_PRECONDITION')
        expectSucceeded(await planning.plan())
        expect(await code(runner.rebind({ ...rebind, lease: planning.lease, next: leaseOf('other', Phase.APPLY) }))).toBe(
          'INVALID_ARGUMENT',
        )
        expect(await code(runner.rebind({ ...rebind, lease: planning.lease, next: planning.lease }))).toBe('INVALID_ARGUMENT')
        expect(await runner.rebind({ ...rebind, lease: planning.lease, next })).toEqual({ lease: next })
        expect(await code(planning.output())).toBe('LEASE_FENCED')
        const applying = makeDriver(runner, next)
        expect(await code(applying.plan())).toBe('FAILED_PRECONDITION')
        const states = receiveStates(runner, next)
        expectSucceeded(await applying.apply())
        expect(resourcesIn((await states).at(-2)?.state)).toEqual(['terraform_data.a', 'terraform_data.b'])
        expect(await code(runner.rebind({ ...rebind, lease: next, next }))).toBe('INVALID_ARGUMENT')
        await applying.shutdown()
      })

      it('is refused after a plan that failed or was canceled', async () => {
        const { runner } = await fresh()
        const driver = makeDriver(runner, leaseOf(runId(), Phase.PLAN))
        await driver.begin()
        await driver.upload(BlobKind.SLUG, TWO)
        expectSucceeded(await driver.prepare())
        expectSucceeded(await driver.init())
        expectSucceeded(await driver.plan())
        const next = leaseOf(driver.lease.runId, Phase.APPLY)
        expect((await driver.plan({ targets: ['not an address'] })).result.outcome).toBe(StepOutcome.FAILED)
        expect(await code(runner.rebind({ ...rebind, lease: driver.lease, next }))).toBe('FAILED_PRECONDITION')
        expectSucceeded(await driver.plan())
        await runner.cancel({ lease: driver.lease, mode: CancelMode.INTERRUPT })
        expect(await code(runner.rebind({ ...rebind, lease: driver.lease, next }))).toBe('FAILED_PRECONDITION')
      })
    })

    describe('cancel', () => {
      it('interrupts once, keeps the state, and lets later steps answer at once', async () => {
        const { runner, driver } = await readyToApply(chain(5, '0.4'))
        const states = receiveStates(runner, driver.lease)
        let canceled: Promise<unknown> | undefined
        const { result } = await driver.apply({ logFormat: LogFormat.JSON }, ({ event }) => {
          if (event?.$case === 'progress' && event.value.state === 'complete')
            canceled ??= runner
              .cancel({ lease: driver.lease, mode: CancelMode.INTERRUPT })
              .then(async () => runner.cancel({ lease: driver.lease, mode: CancelMode.INTERRUPT }))
        })
        await canceled
        expect(result).toMatchObject({ outcome: StepOutcome.CANCELED, errors: [{ code: ErrorCode.CANCELED }] })
        const kept = resourcesIn((await states).findLast(({ state }) => state.length > 0)?.state)
        expect(kept.length).toBeGreaterThanOrEqual(1)
        expect(kept.length).toBeLessThan(5)
        expect(await runner.cancel({ lease: driver.lease, mode: CancelMode.INTERRUPT })).toEqual({ delivered: false })
        expect((await driver.output()).result).toMatchObject({ outcome: StepOutcome.CANCELED, errors: [{ code: ErrorCode.CANCELED }] })
        await driver.shutdown()
      })

      it('by force ends what ignores the signal within 2 s', async () => {
        const { runner, driver } = await readyToApply(
          slugOf({
            'main.tf':
              'resource "terraform_data" "a" {\n  provisioner "local-exec" { command = "trap \'\' INT TERM; echo started; sleep 300 & wait; sleep 300" }\n}\n',
          }),
        )
        let canceledAtMs = 0
        const { result } = await driver.apply({}, ({ event }) => {
          if (event?.$case !== 'log' || canceledAtMs > 0 || !event.value.bytes.toString().includes('started')) return
          canceledAtMs = performance.now()
          void runner.cancel({ lease: driver.lease, mode: CancelMode.KILL })
        })
        expect(performance.now() - canceledAtMs).toBeLessThan(2000)
        expect(result).toMatchObject({ outcome: StepOutcome.CANCELED, signal: 'SIGKILL', errors: [{ code: ErrorCode.FORCE_CANCELED }] })
      })

      it('before the first step is remembered', async () => {
        const { runner } = await fresh()
        const driver = makeDriver(runner, leaseOf(runId(), Phase.PLAN))
        await driver.begin()
        expect(await runner.cancel({ lease: driver.lease, mode: CancelMode.INTERRUPT })).toEqual({ delivered: false })
        expect((await driver.prepare()).result.outcome).toBe(StepOutcome.CANCELED)
        expect((await driver.plan()).result.outcome).toBe(StepOutcome.CANCELED)
        expect(await code(runner.cancel({ lease: driver.lease, mode: CancelMode.UNSPECIFIED }))).toBe('INVALID_ARGUMENT')
      })
    })

    it('ends a phase at its deadline', async () => {
      const { runner } = await fresh()
      const driver = makeDriver(runner, leaseOf(runId(), Phase.PLAN))
      await driver.begin()
      await driver.upload(BlobKind.SLUG, TWO)
      expectSucceeded(await driver.prepare())
      await runner.acquireLease({ lease: driver.lease, deadlineUnixMs: Date.now() - 1 })
      const result = await waitFor(async () => {
        const step = await driver.init()
        return step.result.outcome === StepOutcome.TIMED_OUT && step.result
      })
      expect(result.errors).toMatchObject([{ code: ErrorCode.DEADLINE }])
    })

    describe('the state stream', () => {
      it('sends no more than four snapshots ahead, and again what was not acknowledged', async () => {
        const { runner, driver } = await readyToApply(chain(7, '0.05'))
        const held = makeAcks()
        held.send({ lease: driver.lease, seq: 0 })
        const serials: number[] = []
        const stream = (async () => {
          for await (const { seq, last } of runner.stateStream(held.stream)) if (last) serials.push(seq)
        })()
        expectSucceeded(await driver.apply())
        await waitFor(() => serials.length === 4)
        expect((await runner.status({ lease: driver.lease })).unackedSnapshots).toBeGreaterThan(4)
        expect(await code(driver.shutdown())).toBe('FAILED_PRECONDITION')
        held.end()
        await stream
        expect(serials).toEqual([1, 2, 3, 4])
        const rest = await receiveStates(runner, driver.lease, { from: 2 })
        expect(rest[0]?.seq).toBe(3)
        expect(rest.at(-1)?.final).toBe(true)
        expect(resourcesIn(rest.at(-2)?.state)).toHaveLength(7)
        expect((await runner.status({ lease: driver.lease })).unackedSnapshots).toBe(0)
        await driver.shutdown()
      })

      it('is closed to a fenced controller', async () => {
        const { runner, driver } = await readyToApply(TWO)
        const acks = makeAcks()
        acks.send({ lease: driver.lease, seq: 0 })
        const reading = (async () => {
          for await (const snapshot of runner.stateStream(acks.stream)) expect(snapshot.seq).toBeGreaterThan(0)
        })()
        const outcome = code(reading)
        await waitFor(async () => (await code(runner.status({ lease: driver.lease }))) === 'accepted')
        await runner.acquireLease({ lease: leaseOf(driver.lease.runId, Phase.APPLY, 2), deadlineUnixMs: 0 })
        acks.send({ lease: driver.lease, seq: 1 })
        expect(await outcome).toBe('LEASE_FENCED')
      })

      it('belongs to the apply phase', async () => {
        const { runner } = await fresh()
        const driver = makeDriver(runner, leaseOf(runId(), Phase.PLAN))
        await driver.begin()
        expect(await code(receiveStates(runner, driver.lease))).toBe('FAILED_PRECONDITION')
      })
    })

    it('does not wait for a consumer that never reads, nor hold its log in memory', async () => {
      const { runner } = await fresh()
      const driver = makeDriver(runner, leaseOf(runId(), Phase.PLAN))
      await driver.begin()
      // 200 lines of 100 kB.
      await driver.upload(
        BlobKind.SLUG,
        slugOf({ 'main.tf': 'output "o" {\n  value = [for n in range(200) : format("%0100000d", n)]\n}\n' }),
      )
      expectSucceeded(await driver.prepare())
      expectSucceeded(await driver.init())
      const lazy = runner.plan(planRequest({ lease: driver.lease, opId: 'op-big' }))[Symbol.asyncIterator]()
      await lazy.next()
      let peak = 0
      const before = process.memoryUsage().rss
      await waitFor(
        async () => {
          peak = Math.max(peak, process.memoryUsage().rss)
          return (await runner.status({ lease: driver.lease })).operations.find(({ opId }) => opId === 'op-big')?.done
        },
        { timeoutMs: 50_000, everyMs: 20 },
      )
      expect(peak - before).toBeLessThan(100 * 1024 * 1024)
      await lazy.return?.()
      let bytes = 0
      for await (const { event } of runner.attach({ lease: driver.lease, opId: 'op-big', fromSeq: 0 }))
        if (event?.$case === 'log') bytes += event.value.bytes.length
      expect(bytes).toBeGreaterThan(20_000_000)
      await driver.shutdown()
    }, 60_000)
  })
}
