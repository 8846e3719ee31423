import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DyingControllerInput } from '../../../test/fixtures/dying-controller.ts'
import { captureLog } from '../../../test/harness/captured-log.ts'
import { listProcesses, type ProcessInfo } from '../../../test/harness/processes.ts'
import { bundleRunner } from '../../../test/harness/runner-bundle.ts'
import { IDENTITY, INSTALLATION, runnerLeaf } from '../../../test/harness/test-pki.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'
import { systemClock } from '../../platform/clock.ts'
import { type Ca, type CaMaterial, generateCa, loadCa } from '../pki/ca.ts'
import { startTicks } from '../worker/engine/start-ticks.ts'
import { runPaths } from '../worker/run-directory.ts'
import type { Bind, ConnectedRunner, RunnerRef } from './placement.ts'
import { type ProcessPlacementOptions, makeProcessPlacement } from './process-placement.ts'
import { isRunning, membersOfGroup, processesOfUser } from './process-table.ts'

const isRoot = process.getuid?.() === 0
const TSX = ['--import', import.meta.resolve('tsx')]
const source = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

let bundleDirectory: string
let entry: string[]
let material: CaMaterial
let ca: Ca
beforeAll(async () => {
  bundleDirectory = await mkdtemp(join(tmpdir(), 'terrane-bundle-'))
  entry = await bundleRunner(bundleDirectory)
  material = await generateCa({ installationId: INSTALLATION, clock: systemClock })
  ca = await loadCa({ ...material, clock: systemClock })
})
afterAll(() => rm(bundleDirectory, { recursive: true, force: true }))

let workRoot: string
const started: RunnerRef[] = []
const closers: (() => unknown)[] = []
beforeEach(async () => {
  workRoot = await mkdtemp(join(tmpdir(), 'terrane-work-'))
})
afterEach(async () => {
  for (const ref of started.splice(0)) await makePlacement(ref.uid === undefined ? {} : { isolation: isolation() }).destroy(ref)
  for (const close of closers.splice(0).reverse()) await close()
  await rm(workRoot, { recursive: true, force: true })
})

const isolation = () => ({ firstUid: 61_700, count: 20, claimsDirectory: join(workRoot, 'uids') })
const captured = captureLog()
const makePlacement = (options: Partial<ProcessPlacementOptions> = {}) => {
  const placement = makeProcessPlacement({
    ca: async () => ({ ca, trustPem: [ca.certificatePem] }),
    installationId: INSTALLATION,
    controllerId: 'replica',
    workRoot,
    isolation: undefined,
    runnerEntry: entry,
    log: captured.log,
    clock: systemClock,
    ...options,
  })
  closers.push(() => placement.close())
  return placement
}

const signal = new AbortController().signal
const lease = { runId: IDENTITY.runId, phase: 1, epoch: 1 } as const
const bindTo =
  ({ runId }: { runId: string }): Bind =>
  async (runner, leaf) => {
    await runner.acquireLease({ lease: { ...lease, runId }, deadlineUnixMs: Date.now() + 600_000, ...leaf })
  }
const bind = bindTo(IDENTITY)

const start = async (placement = makePlacement(), identity = IDENTITY): Promise<ConnectedRunner> => {
  const connected = await placement.start(identity, signal, bindTo(identity))
  started.push(connected.ref)
  closers.push(() => connected.close())
  return connected
}

const greeting = {
  protoMin: 1,
  protoMax: 1,
  installationId: INSTALLATION,
  controllerId: 'replica',
  nowUnixMs: Date.now(),
  nonce: 'n',
}

describe('start', () => {
  it('gives a runner without a lease, in a session of its own, that answers for its phase only', async () => {
    const { runner, ref } = await start()
    const reply = await runner.handshake(greeting)
    expect(reply).toMatchObject({ instanceId: ref.instanceId, nonceEcho: 'n' })
    expect(reply.lease).toEqual(lease)
    expect(ref.uri).toContain(`/run/${IDENTITY.runId}/phase/plan/runner/${ref.instanceId}`)
    expect(ref.address).toMatch(/^127\.0\.0\.1:\d+$/)
    expect(await membersOfGroup(ref.pid)).toEqual([ref.pid])
  })

  it('clears what an earlier runner of the run left', async () => {
    const { work } = runPaths(join(workRoot, IDENTITY.runId))
    await mkdir(work, { recursive: true })
    await writeFile(join(work, 'old.tf'), '')
    await start()
    expect(await readdir(work)).toEqual([])
  })

  it('case 33: no key, certificate or secret in environment, arguments, files or log', async () => {
    const connected = await start()
    const environment = (await readFile(`/proc/${connected.ref.pid}/environ`, 'utf8')).split('\0').filter(Boolean)
    expect(new Set(environment.map((line) => line.split('=')[0]))).toEqual(new Set(['LANG', 'PATH']))
    expect((await readFile(`/proc/${connected.ref.pid}/cmdline`, 'utf8')).split('\0').filter(Boolean)).toEqual(entry)
    const files = (await readdir(workRoot, { recursive: true, withFileTypes: true })).filter((file) => file.isFile())
    const contents = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'utf8')))
    expect(contents.join()).not.toContain('-----BEGIN')
    expect(captured.text()).not.toContain('-----BEGIN')
  })

  it('ends the worker when the caller gives up or the entry is not ours', async () => {
    const gaveUp = new AbortController()
    gaveUp.abort(new Error('shutting down'))
    await expect(makePlacement().start(IDENTITY, gaveUp.signal, bind)).rejects.toThrow('shutting down')
    const silent = [process.execPath, '-e', 'console.log("ready")']
    await expect(makePlacement({ runnerEntry: silent }).start(IDENTITY, signal, bind)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const failing = [process.execPath, '-e', 'process.exit(3)']
    await expect(makePlacement({ runnerEntry: failing }).start(IDENTITY, signal, bind)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('exit code 3'),
    })
  })

  it('uses workers started ahead', async () => {
    const placement = makePlacement({ pool: { size: 1 } })
    placement.warm()
    const { ref } = await start(placement)
    expect(isRunning(ref.pid, ref.startTicks)).toBe(true)
  })

  it('takes another worker when the one that waited does not answer', async () => {
    const connections = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length
    const placement = makePlacement({ pool: { size: 1 } })
    await waitFor(() => connections() === 0, { what: 'the connections of other tests to end' })
    placement.warm()
    await waitFor(() => connections() > 0, { what: 'a worker to be connected' })
    const isIdle = ({ parent, command }: ProcessInfo) => parent === process.pid && command === entry.join(' ')
    const { pid: idle } = await waitFor(async () => (await listProcesses()).find(isIdle))
    // Stopped, not killed: it still looks alive.
    process.kill(idle, 'SIGSTOP')
    const { ref, runner } = await start(placement)
    expect(ref.pid).not.toBe(idle)
    expect((await runner.handshake(greeting)).instanceId).toBe(ref.instanceId)
  }, 60_000)

  it('gives the worker its name with the first lease and not after it', async () => {
    const { runner, ref } = await start()
    const { certificatePem, privateKeyPem } = await runnerLeaf(ca, ref.uri)
    await expect(bind(runner, { certificatePem, privateKeyPem })).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
    await expect(bind(runner)).resolves.toBeUndefined()
  })

  it('works from the sources too', async () => {
    const { ref } = await start(makePlacement({ runnerEntry: [process.execPath, ...TSX, source('src/bin/terrane-runner.ts')] }))
    expect(isRunning(ref.pid, ref.startTicks)).toBe(true)
  })
})

describe('reattach', () => {
  it('finds the same instance, from another placement', async () => {
    const first = await start()
    const { ref } = first
    first.close()
    const again = await makePlacement().reattach(ref, IDENTITY, signal)
    closers.push(() => again.close())
    expect((await again.runner.handshake(greeting)).instanceId).toBe(ref.instanceId)
  })

  it('says UNAVAILABLE for a killed worker and for a reused pid', async () => {
    const { ref, runner } = await start()
    await expect(makePlacement().reattach({ ...ref, startTicks: '1' }, IDENTITY, signal)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    process.kill(ref.pid, 'SIGKILL')
    await waitFor(() => !isRunning(ref.pid, ref.startTicks))
    await expect(makePlacement().reattach(ref, IDENTITY, signal)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(runner.status({ lease })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('refuses the runner of another phase, or of another authority', async () => {
    const { ref } = await start()
    await expect(makePlacement().reattach(ref, { ...IDENTITY, phase: 'apply' }, signal)).rejects.toMatchObject({ code: 'PEER_IDENTITY' })
    const other = await loadCa({ ...(await generateCa({ installationId: INSTALLATION, clock: systemClock })), clock: systemClock })
    const stranger = makePlacement({ ca: async () => ({ ca: other, trustPem: [other.certificatePem] }) })
    await expect(stranger.reattach(ref, IDENTITY, signal)).rejects.toMatchObject({ code: 'PEER_IDENTITY' })
  })

  it('finds a runner that was started before the authority was replaced, which trusts the old one only', async () => {
    const { ref } = await start()
    const next = await loadCa({ ...(await generateCa({ installationId: INSTALLATION, clock: systemClock })), clock: systemClock })
    const later = makePlacement({
      ca: async (fingerprint) => {
        const meant = fingerprint === ca.fingerprint ? ca : next
        return { ca: meant, trustPem: [meant.certificatePem] }
      },
    })
    const again = await later.reattach(ref, IDENTITY, signal)
    closers.push(() => again.close())
    expect((await again.runner.handshake(greeting)).instanceId).toBe(ref.instanceId)
  })

  it('finds a runner whose controller was killed, with its lease', async () => {
    const input: DyingControllerInput = { ...material, installationId: INSTALLATION, workRoot, runnerEntry: entry, identity: IDENTITY }
    const controller = spawn(process.execPath, [...TSX, source('test/fixtures/dying-controller.ts')], {
      env: { PATH: process.env['PATH'] },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    controller.stdin.end(JSON.stringify(input))
    const ended = once(controller, 'exit')
    const ref: RunnerRef = JSON.parse(await text(controller.stdout))
    started.push(ref)
    expect((await ended)[1]).toBe('SIGKILL')
    const again = await makePlacement().reattach(ref, IDENTITY, signal)
    closers.push(() => again.close())
    expect((await again.runner.handshake(greeting)).lease).toEqual(lease)
    expect((await again.runner.acquireLease({ lease: { ...lease, epoch: 2 }, deadlineUnixMs: Date.now() + 600_000 })).lease?.epoch).toBe(2)
  })
})

describe('the end of a worker', () => {
  it('comes with Shutdown, with exit and without a rest', async () => {
    const connected = await start()
    await connected.runner.shutdown({ lease, cleanup: true })
    await waitFor(() => !isRunning(connected.ref.pid, connected.ref.startTicks))
    expect(existsSync(connected.ref.runDirectory)).toBe(false)
  })

  it('comes with SIGTERM when there is nothing to finish', async () => {
    const { ref } = await start()
    process.kill(ref.pid, 'SIGHUP')
    expect(isRunning(ref.pid, ref.startTicks)).toBe(true)
    process.kill(ref.pid, 'SIGTERM')
    await waitFor(() => !isRunning(ref.pid, ref.startTicks))
  })

  it('by destroy takes the engine’s processes along, can be repeated, and leaves the state to recover', async () => {
    const placement = makePlacement()
    const connected = await start(placement)
    const { ref } = connected
    const paths = runPaths(ref.runDirectory)
    const engine = spawn('/bin/sh', ['-c', 'sleep 300 & sleep 301'], { detached: true, stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } })
    await once(engine, 'spawn')
    const pid = engine.pid ?? 0
    await writeFile(paths.engineFile, JSON.stringify({ pid, startTicks: startTicks(pid) }))
    const escaped = spawn('/bin/sleep', ['302'], { detached: true, stdio: 'ignore', env: { HOME: paths.home } })
    await once(escaped, 'spawn')
    const state = JSON.stringify({ version: 4, serial: 1, lineage: 'l' })
    await writeFile(paths.stateFile, state)
    await placement.destroy(ref)
    expect(isRunning(ref.pid, ref.startTicks)).toBe(false)
    expect(await membersOfGroup(pid)).toEqual([])
    expect(await membersOfGroup(escaped.pid ?? 0)).toEqual([])
    await placement.destroy(ref)
    expect((await placement.recoverState(ref))?.toString()).toBe(state)
    await placement.discard(ref)
    await placement.discard(ref)
    expect(existsSync(ref.runDirectory)).toBe(false)
    expect(await placement.recoverState(ref)).toBeUndefined()
  })
})

describe.runIf(isRoot)('with a user for each job', () => {
  it('gives running jobs different users, ends all processes of one only, and says so in the handshake', async () => {
    const placement = makePlacement({ isolation: isolation() })
    const one = await start(placement)
    const two = await start(placement, { ...IDENTITY, runId: 'run-2' })
    expect(one.ref.uid).not.toBe(two.ref.uid)
    expect((await one.runner.handshake(greeting)).sandbox).toEqual({ level: 1, uidSplit: true })
    const sleepers = await Promise.all(
      [one, two].map(async ({ ref: { uid } }) => {
        const child = spawn('/bin/sleep', ['300'], { uid, gid: uid, detached: true, stdio: 'ignore', cwd: '/', env: {} })
        await once(child, 'spawn')
        return child.pid
      }),
    )
    await placement.destroy(one.ref)
    expect(await processesOfUser(one.ref.uid ?? 0)).toEqual([])
    expect(await processesOfUser(two.ref.uid ?? 0)).toEqual([sleepers[1]])
  })

  it('does not end the processes of a later job that got the same user', async () => {
    const placement = makePlacement({ isolation: { ...isolation(), count: 1 } })
    const first = await start(placement)
    await placement.destroy(first.ref)
    await placement.discard(first.ref)
    const second = await start(placement, { ...IDENTITY, runId: 'run-2' })
    expect(second.ref.uid).toBe(first.ref.uid)
    const child = spawn('/bin/sleep', ['300'], {
      uid: second.ref.uid,
      gid: second.ref.uid,
      detached: true,
      stdio: 'ignore',
      cwd: '/',
      env: {},
    })
    await once(child, 'spawn')
    await placement.destroy(first.ref)
    expect(await processesOfUser(second.ref.uid ?? 0)).toEqual([child.pid])
  })
})
