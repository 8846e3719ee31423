import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../test/harness/temp-dir.ts'
import { IDENTITY, INSTALLATION } from '../../../test/harness/test-pki.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { runPaths } from '../worker/run-directory.ts'
import { makeInProcessPlacement } from './in-process-placement.ts'

/** The lease comes later. */
const unbound = async (): Promise<void> => undefined

const makePlacement = async () =>
  makeInProcessPlacement({
    installationId: INSTALLATION,
    controllerId: 'replica',
    workRoot: await tempDir(),
    isolation: undefined,
    log: silentLog,
    clock: systemClock,
  })

const signal = new AbortController().signal
const lease = { runId: IDENTITY.runId, phase: 1, epoch: 1 } as const
const deadlineUnixMs = Date.now() + 600_000

describe('runners in this process', () => {
  it('are found again by the same placement only, and for their phase only', async () => {
    const placement = await makePlacement()
    const { ref, runner } = await placement.start(IDENTITY, signal, unbound)
    expect((await placement.reattach(ref, IDENTITY, signal)).runner).toBe(runner)
    await expect(placement.reattach(ref, { ...IDENTITY, phase: 'apply' }, signal)).rejects.toMatchObject({ code: 'PEER_IDENTITY' })
    await expect((await makePlacement()).reattach(ref, IDENTITY, signal)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('are gone after destroy, which can be repeated and leaves the state to recover', async () => {
    const placement = await makePlacement()
    const { ref, runner } = await placement.start(IDENTITY, signal, unbound)
    await runner.acquireLease({ lease, deadlineUnixMs })
    const state = JSON.stringify({ version: 4, serial: 1, lineage: 'l' })
    await writeFile(runPaths(ref.runDirectory).stateFile, state)
    await placement.destroy(ref)
    await placement.destroy(ref)
    await expect(placement.reattach(ref, IDENTITY, signal)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(runner.acquireLease({ lease, deadlineUnixMs })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect((await placement.recoverState(ref))?.toString()).toBe(state)
    await placement.discard(ref)
    expect(existsSync(ref.runDirectory)).toBe(false)
  })

  it('are gone after shutdown, and the next one of the run starts in a clean directory', async () => {
    const placement = await makePlacement()
    const first = await placement.start(IDENTITY, signal, unbound)
    await first.runner.acquireLease({ lease, deadlineUnixMs })
    await writeFile(`${runPaths(first.ref.runDirectory).work}/old.tf`, '')
    await first.runner.shutdown({ lease, cleanup: false })
    await expect(placement.reattach(first.ref, IDENTITY, signal)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const second = await placement.start({ ...IDENTITY, phase: 'apply' }, signal, unbound)
    await second.runner.acquireLease({ lease: { ...lease, phase: 2 }, deadlineUnixMs })
    expect(existsSync(`${runPaths(second.ref.runDirectory).work}/old.tf`)).toBe(false)
    await placement.destroy(second.ref)
  })
})
