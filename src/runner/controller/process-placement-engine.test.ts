import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  expectSucceeded,
  INSTALLATION,
  leaseOf,
  makeDriver,
  receiveStates,
  resourcesIn,
  slugOf,
} from '../../../test/contract/runner-driver.ts'
import { bundleRunner } from '../../../test/harness/runner-bundle.ts'
import { IDENTITY, newCa } from '../../../test/harness/test-pki.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { BlobKind, Phase, StepOutcome } from '../gen/runner/v1/runner.ts'
import type { Ca } from '../pki/ca.ts'
import { runPaths } from '../worker/run-directory.ts'
import type { ConnectedRunner, Placement } from './placement.ts'
import { makeProcessPlacement } from './process-placement.ts'
import { isRunning, processesOfUser } from './process-table.ts'

const isRoot = process.getuid?.() === 0
const CONFIGURATION = slugOf({
  'main.tf':
    'resource "terraform_data" "one" {}\nresource "terraform_data" "slow" {\n  input = terraform_data.one.id\n  provisioner "local-exec" { command = "sleep 60" }\n}\n',
})

let bundleDirectory: string
let runnerEntry: string[]
let ca: Ca
beforeAll(async () => {
  bundleDirectory = await mkdtemp(join(tmpdir(), 'terrane-bundle-'))
  runnerEntry = await bundleRunner(bundleDirectory)
  ca = await newCa()
})
afterAll(() => rm(bundleDirectory, { recursive: true, force: true }))

let root: string
let placement: Placement
const running: ConnectedRunner[] = []
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'terrane-work-'))
  // The engine's user passes through.
  await chmod(root, 0o711)
  placement = makeProcessPlacement({
    ca: async () => ({ ca, trustPem: [ca.certificatePem] }),
    installationId: INSTALLATION,
    controllerId: 'replica',
    workRoot: join(root, 'work'),
    isolation: isRoot ? { firstUid: 61_800, count: 20, claimsDirectory: join(root, 'uids') } : undefined,
    runnerEntry,
    log: silentLog,
    clock: systemClock,
  })
})
afterEach(async () => {
  for (const { ref, ...connected } of running.splice(0)) {
    connected.close()
    await placement.destroy(ref)
  }
  await placement.close()
  await rm(root, { recursive: true, force: true })
})

const start = async (phase: 'plan' | 'apply') => {
  const lease = leaseOf(IDENTITY.runId, phase === 'plan' ? Phase.PLAN : Phase.APPLY)
  const connected = await placement.start({ ...IDENTITY, phase }, new AbortController().signal, async (runner, leaf) => {
    await runner.acquireLease({ lease, deadlineUnixMs: Date.now() + 600_000, ...leaf })
  })
  running.push(connected)
  const driver = makeDriver(connected.runner, lease)
  return { ...connected, driver }
}

const plan = async (): Promise<{ plan: Buffer; snapshot: Buffer }> => {
  const { driver, ref } = await start('plan')
  await driver.upload(BlobKind.SLUG, CONFIGURATION)
  expectSucceeded(await driver.prepare())
  expectSucceeded(await driver.init())
  expectSucceeded(await driver.plan())
  const made = { plan: await driver.download(BlobKind.PLAN), snapshot: await driver.download(BlobKind.SNAPSHOT) }
  expect((await stat(runPaths(ref.runDirectory).planFile)).uid).toBe(ref.uid ?? process.getuid?.())
  await placement.destroy(ref)
  await placement.discard(ref)
  return made
}

/** An apply that has recorded its first resource and waits for the second. */
const applying = async () => {
  const { plan: planned, snapshot } = await plan()
  const connected = await start('apply')
  const { driver, runner } = connected
  await driver.upload(BlobKind.SNAPSHOT, snapshot)
  await driver.upload(BlobKind.PLAN, planned)
  expectSucceeded(await driver.prepare())
  expectSucceeded(await driver.init())
  let acked = 0
  const states = receiveStates(runner, driver.lease, {
    ack: (received) => {
      if (resourcesIn(received.state).length > 0) acked++
      return true
    },
  })
  states.catch(() => undefined)
  const applied = driver.apply()
  applied.catch(() => undefined)
  await waitFor(() => acked > 0, { timeoutMs: 20_000 })
  return { ...connected, applied, states }
}

describe('a worker process in mid-apply', () => {
  it('interrupts the engine at SIGTERM, delivers the state and ends', async () => {
    const { ref, applied, states } = await applying()
    process.kill(ref.pid, 'SIGTERM')
    expect((await applied).result.outcome).not.toBe(StepOutcome.SUCCEEDED)
    const received = await states
    expect(received.at(-1)?.final).toBe(true)
    expect(resourcesIn(received.findLast(({ state }) => state.length > 0)?.state)).toContain('terraform_data.one')
    await waitFor(() => !isRunning(ref.pid, ref.startTicks), { timeoutMs: 20_000 })
  })

  it('killed leaves the state on disk, and destroy ends its engine', async () => {
    const { ref, applied } = await applying()
    process.kill(ref.pid, 'SIGKILL')
    await expect(applied).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await placement.destroy(ref)
    expect(ref.uid === undefined ? [] : await processesOfUser(ref.uid)).toEqual([])
    expect(resourcesIn(await placement.recoverState(ref))).toContain('terraform_data.one')
  })
})
