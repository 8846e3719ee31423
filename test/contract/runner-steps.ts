import { stat } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { BlobKind, CancelMode, ErrorCode, LogFormat, Phase, ShowKind, StepOutcome } from '../../src/runner/gen/runner/v1/runner.ts'

import {
  expectSucceeded,
  greet,
  INSTALLATION,
  leaseOf,
  makeDriver,
  planRequest,
  ran,
  receiveStates,
  resourcesIn,
  sha256,
  slugOf,
  uploadFrames,
} from './runner-driver.ts'

import { type Bench, TWO, code } from './runner-bench.ts'

/** What the steps of a phase answer, and in which order they go. */
export const testSteps = ({ fresh, runId, planned, readyToApply }: Bench): void => {
  it('plans and applies a configuration', async () => {
    const { driver, result, log } = await planned(TWO)
    expect(result).toMatchObject({ hasChanges: true, exitCode: 2, summary: { add: 2, change: 0, remove: 0, import: 0 } })
    expect(result.artifacts.map(({ kind }) => kind)).toEqual([BlobKind.PLAN])
    expect(log).toContain('Plan: 2 to add, 0 to change, 0 to destroy.')
    expect(log).not.toContain('\u001b')
    const shown = await driver.show(ShowKind.PLAN_JSON)
    expectSucceeded(shown)
    expect(shown.result.artifacts.map(({ kind }) => kind)).toEqual([BlobKind.PLAN_JSON, BlobKind.PLAN_JSON_REDACTED, BlobKind.SNAPSHOT])
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
    // A resource is complete once a state shows it, which may be after the begin of the next one.
    const of = (name: string): string[] => progress.filter((text) => text.startsWith(`terraform_data.${name} `))
    expect([...of('a'), ...of('b')]).toEqual([
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

  it('sends a small artifact with the result, and a large one when it is asked for', async () => {
    const small = await planned(TWO)
    const [plan] = small.result.artifacts
    expect(plan).toMatchObject({ bytes: plan?.content.length, sha256: sha256(plan?.content ?? Buffer.alloc(0)) })
    expect((await small.driver.download(BlobKind.PLAN)).equals(plan?.content ?? Buffer.alloc(0))).toBe(true)

    const large = await planned(slugOf({ 'main.tf': `resource "terraform_data" "a" {\n  input = "${'x'.repeat(100_000)}"\n}\n` }))
    const shown = await large.driver.show(ShowKind.PLAN_JSON)
    const json = shown.result.artifacts.find(({ kind }) => kind === BlobKind.PLAN_JSON)
    expect(json).toMatchObject({ content: Buffer.alloc(0) })
    expect(sha256(await large.driver.download(BlobKind.PLAN_JSON))).toBe(json?.sha256)
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
      const hello = {
        protoMin: 1,
        protoMax: 3,
        installationId: INSTALLATION,
        controllerId: 'c',
        nowUnixMs: Date.now(),
        nonce: 'abc',
      }
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

    it('that is small comes with the request of the first step', async () => {
      const { driver } = await began()
      expectSucceeded(await driver.prepare({ blobs: [{ kind: BlobKind.SLUG, bytes: TWO }] }))
      expectSucceeded(await driver.init())
      const wrong = await began()
      const { result } = await wrong.driver.prepare({ blobs: [{ kind: BlobKind.PLAN_JSON, bytes: TWO }] })
      expect(result.outcome).toBe(StepOutcome.FAILED)
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
}
