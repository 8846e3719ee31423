import { describe, expect, it } from 'vitest'
import { BlobKind, CancelMode, ErrorCode, LogFormat, Phase, StepOutcome } from '../../src/runner/gen/runner/v1/runner.ts'

import { waitFor } from '../harness/wait-for.ts'
import { expectSucceeded, leaseOf, makeAcks, makeDriver, planRequest, ran, receiveStates, resourcesIn, slugOf } from './runner-driver.ts'

import { type Bench, TWO, chain, code } from './runner-bench.ts'

/** What happens to a phase from outside: cut streams, cancels, deadlines, states on their way, the next phase. */
export const testLife = ({ fresh, runId, readyToApply }: Bench): void => {
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
      expect(await code(runner.rebind({ ...rebind, lease: planning.lease, next: leaseOf('other', Phase.APPLY) }))).toBe('INVALID_ARGUMENT')
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
    await driver.upload(BlobKind.SLUG, slugOf({ 'main.tf': 'output "o" {\n  value = [for n in range(200) : format("%0100000d", n)]\n}\n' }))
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
}
