import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { expectSucceeded, makeDriver, planRequest, ran, receiveStates, resourcesIn } from '../../../test/contract/runner-driver.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'
import { makeWorkbench, type Workbench } from '../../../test/harness/worker.ts'
import { BlobKind, CancelMode, ErrorCode, LogFormat, Phase, StepOutcome } from '../gen/runner/v1/runner.ts'
import { startTicks } from './engine/start-ticks.ts'
import type { RunPaths } from './run-directory.ts'
import { makeWorker } from './worker.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'

const isRoot = process.getuid?.() === 0

let bench: Workbench
beforeEach(async () => {
  bench = await makeWorkbench()
})
afterEach(async () => bench.close())

const localExec = (command: string): Record<string, string> => ({
  'main.tf': `resource "terraform_data" "a" {\n  provisioner "local-exec" { command = ${JSON.stringify(command)} }\n}\n`,
})

/** Five resources one after the other; the third waits for a file named `go` that nobody makes. */
const FIVE = {
  'main.tf': Array.from(
    { length: 5 },
    (_, at) =>
      `resource "terraform_data" "r${at}" {\n  input = ${at === 0 ? '0' : `terraform_data.r${at - 1}.id`}\n${at === 2 ? '  provisioner "local-exec" { command = "sleep 300" }\n' : ''}}\n`,
  ).join(''),
}

const engineOf = async (paths: RunPaths): Promise<number> =>
  waitFor(async () => {
    const { pid, startTicks: ticks } = JSON.parse(await readFile(paths.engineFile, 'utf8')) as { pid: number; startTicks: string }
    return startTicks(pid) === ticks && pid
  })

/** Processes of a run that are alive. */
const alive = async (paths: RunPaths): Promise<number[]> => {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || startTicks(Number(name)) === undefined) continue
    const environ = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')
    if (environ.includes(`HOME=${paths.home}\0`)) found.push(Number(name))
  }
  return found
}

describe('an apply whose engine is killed', () => {
  it('R018: delivers exactly what was finished, says what happened and leaves nothing running', async () => {
    const { runner, driver, paths } = await bench.readyToApply(FIVE)
    const states = receiveStates(runner, driver.lease)
    const applying = driver.apply({ logFormat: LogFormat.JSON })
    await waitFor(async () => (await readFile(paths.stateFile, 'utf8').catch(() => '')).includes('"r1"'))
    await waitFor(async () => (await alive(paths)).length > 1)
    process.kill(await engineOf(paths), 'SIGKILL')
    const { result } = await applying
    expect(result).toMatchObject({
      outcome: StepOutcome.FAILED,
      signal: 'SIGKILL',
      errors: [{ code: ErrorCode.OOM, message: 'terraform was killed (out of memory?)' }],
    })
    const received = await states
    expect(resourcesIn(received.at(-2)?.state)).toEqual(['terraform_data.r0', 'terraform_data.r1'])
    expect(await alive(paths)).toEqual([])
    await driver.shutdown()
  })

  it('leaves its newest state in the journal for whoever recovers it', async () => {
    const { driver, paths } = await bench.readyToApply(FIVE)
    const applying = driver.apply()
    await waitFor(async () => (await readFile(paths.stateFile, 'utf8').catch(() => '')).includes('"r1"'))
    process.kill(await engineOf(paths), 'SIGKILL')
    await applying
    const newest = (await readdir(paths.journal)).sort().at(-1) ?? ''
    expect(resourcesIn(await readFile(join(paths.journal, newest)))).toEqual(['terraform_data.r0', 'terraform_data.r1'])
    await driver.shutdown(false)
    expect((await stat(paths.stateFile)).isFile()).toBe(true)
  })
})

describe('what the engine starts', () => {
  it('is killed after the step though it left the process group', async () => {
    const { driver, paths } = await bench.readyToApply(localExec('setsid sleep 300 > /dev/null 2>&1 & echo started'))
    const { result, log } = await driver.apply()
    expect(result.outcome).toBe(StepOutcome.SUCCEEDED)
    expect(log).toContain('started')
    expect(await alive(paths)).toEqual([])
  })

  it('gets no signal when the engine is interrupted, so that it can finish', async () => {
    const { runner, driver } = await bench.readyToApply(
      localExec("trap 'echo got-a-signal' INT TERM; echo started; sleep 1; echo finished"),
    )
    const { result, log } = await driver.apply({}, ({ event }) => {
      if (event?.$case === 'log' && stripVTControlCharacters(event.value.bytes.toString()).includes('): started'))
        void runner.cancel({ lease: driver.lease, mode: CancelMode.INTERRUPT })
    })
    expect(log).toContain('Interrupt received')
    expect(log).not.toContain('Two interrupts')
    expect(log).not.toContain('): got-a-signal')
    expect([StepOutcome.CANCELED, StepOutcome.SUCCEEDED]).toContain(result.outcome)
  })

  it('is killed when the grace after an interrupt is over', async () => {
    // A data source that waits for an answer does not look at the first interrupt.
    let ask = (): void => undefined
    const asked = new Promise<void>((resolve) => {
      ask = resolve
    })
    const server = createServer(() => ask()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const config = `data "terraform_remote_state" "x" {\n  backend = "http"\n  config  = { address = "http://127.0.0.1:${port}/state" }\n}\n`
    const { runner, driver, paths } = await bench.readyToPlan({ 'main.tf': config }, { worker: { interruptGraceMs: 300 } })
    const planning = driver.plan()
    await asked
    await runner.cancel({ lease: driver.lease, mode: CancelMode.INTERRUPT })
    await runner.cancel({ lease: driver.lease, mode: CancelMode.INTERRUPT })
    const { result, log } = await planning
    server.closeAllConnections()
    server.close()
    expect(log).toContain('Interrupt received')
    expect(log).not.toContain('Two interrupts')
    expect(result).toMatchObject({ outcome: StepOutcome.CANCELED, signal: 'SIGKILL', errors: [{ code: ErrorCode.CANCELED }] })
    expect(await alive(paths)).toEqual([])
  })
})

describe('a phase that nobody asks for', () => {
  it('is interrupted after the grace, its state kept for whoever comes back', async () => {
    let orphaned = false
    const { runner, driver, paths } = await bench.readyToApply(FIVE, {
      worker: { orphanGraceMs: 400, interruptGraceMs: 300, onOrphaned: () => (orphaned = true) },
    })
    const request = { lease: driver.lease, opId: 'op', parallelism: 0, logFormat: LogFormat.TEXT }
    for await (const event of runner.apply(request)) if (event.event?.$case === 'log') break
    await waitFor(() => orphaned)
    expect(await alive(paths)).toEqual([])
    const { result } = await ran(runner.attach({ lease: driver.lease, opId: 'op', fromSeq: 0 }))
    expect(result).toMatchObject({ outcome: StepOutcome.CANCELED, errors: [{ message: expect.stringContaining('out of reach') }] })
    expect(resourcesIn((await receiveStates(runner, driver.lease)).at(-2)?.state)).toEqual(
      expect.arrayContaining(['terraform_data.r0', 'terraform_data.r1']),
    )
  })

  it('goes on while somebody listens or calls', async () => {
    let orphaned = false
    const { runner, driver } = await bench.readyToApply(localExec('sleep 1.2'), {
      worker: { orphanGraceMs: 300, onOrphaned: () => (orphaned = true) },
    })
    expectSucceeded(await driver.apply())
    for (let at = 0; at < 8; at++) {
      await runner.status({ lease: driver.lease })
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(orphaned).toBe(false)
    await waitFor(() => orphaned)
  })
})

describe('a deadline', () => {
  it('interrupts a running step', async () => {
    const { runner, driver } = await bench.readyToApply(localExec('sleep 300'), { worker: { interruptGraceMs: 300 } })
    await runner.acquireLease({ lease: driver.lease, deadlineUnixMs: Date.now() + 500 })
    expect((await driver.apply()).result).toMatchObject({ outcome: StepOutcome.TIMED_OUT, errors: [{ code: ErrorCode.DEADLINE }] })
  })
})

describe('a log', () => {
  it('that is too long is cut, with a line that says so', async () => {
    const { driver } = await bench.readyToApply(localExec('yes | head -c 20000'), { worker: { logLimitBytes: 5000 } })
    const { log, result, events } = await driver.apply()
    expect(result.outcome).toBe(StepOutcome.SUCCEEDED)
    expect(log).toMatch(/\n\[The log is cut here: this step wrote more than 5000 bytes\.\]\n$/)
    const logged = events.map(({ event }) => (event?.$case === 'log' ? event.value.bytes.length : 0))
    expect(result.logBytes).toBe(logged.reduce((sum, bytes) => sum + bytes, 0))
  })

  it('of 20 MB does not grow the memory of the worker', async () => {
    const { driver, runner } = await bench.readyToPlan(
      { 'main.tf': 'output "o" {\n  value = [for n in range(200) : format("%0100000d", n)]\n}\n' },
      { prepare: { redact: ['some-secret-or-other'] } },
    )
    global.gc?.()
    const before = process.memoryUsage()
    let peak = 0
    let bytes = 0
    for await (const { event } of runner.plan(planRequest({ lease: driver.lease, opId: 'big' }))) {
      if (event?.$case === 'log') bytes += event.value.bytes.length
      const now = process.memoryUsage()
      peak = Math.max(peak, now.heapUsed - before.heapUsed)
    }
    expect(bytes).toBeGreaterThan(20_000_000)
    expect(peak).toBeLessThan(60 * 1024 * 1024)
    await driver.shutdown()
  }, 60_000)
})

describe('a worker that is killed', () => {
  let child: ChildProcess | undefined
  afterEach(() => child?.kill('SIGKILL'))

  it('takes the engine with it', async () => {
    const { driver, paths } = await bench.readyToApply(localExec('sleep 300'))
    const [plan, run] = [await readFile(paths.planFile), driver.lease.runId]
    await driver.shutdown()
    const script = new URL('../../../test/harness/apply-in-child.ts', import.meta.url).pathname
    child = spawn(process.execPath, ['--import', 'tsx', script, bench.workRoot, run], { stdio: ['pipe', 'inherit', 'inherit'] })
    child.stdin?.end(plan)
    await waitFor(async () => (await alive(paths)).length > 1, { timeoutMs: 20_000 })
    const engine = await engineOf(paths)
    child.kill('SIGKILL')
    await waitFor(() => startTicks(engine) === undefined)
    // The group is found through the file, for what the engine had started lives on.
    const { pid } = JSON.parse(await readFile(paths.engineFile, 'utf8')) as { pid: number }
    process.kill(-pid, 'SIGKILL')
    await waitFor(async () => (await alive(paths)).length === 0)
    expect(startTicks(engine)).toBeUndefined()
  }, 40_000)
})

describe('isolation', () => {
  const isolation = { uid: 61_234, gid: 61_234 }

  it('needs a user of its own', () => {
    const make = (uid: number) =>
      makeWorker({
        workRoot: bench.workRoot,
        instanceId: 'i',
        installationId: 'x',
        isolation: { uid, gid: uid },
        log: silentLog,
        clock: systemClock,
      })
    expect(() => make(0)).toThrow('user of its own')
    expect(() => make(process.getuid?.() ?? 0)).toThrow('user of its own')
  })

  it.skipIf(!isRoot)('runs the engine as another user who sees nothing of the worker, and kills all of that user', async () => {
    const command =
      'id -u; id -G; cat ../private/operations/* || echo private-is-closed; ls .. || echo root-is-closed; grep -E "CapEff|NoNewPrivs" /proc/self/status; ln -sf /etc/shadow ../out/link; setsid sleep 300 > /dev/null 2>&1 & true'
    const { driver, runner, paths } = await bench.readyToApply(localExec(command), { worker: { isolation } })
    const hello = await runner.handshake({
      protoMin: 1,
      protoMax: 1,
      installationId: 'inst-test',
      controllerId: 'c',
      nowUnixMs: Date.now(),
      nonce: '',
    })
    expect(hello.sandbox).toEqual({ level: 1, uidSplit: true })
    const states = receiveStates(runner, driver.lease)
    const { log, result } = await driver.apply()
    expect(result.errors).toEqual([])
    expect(log).toContain('): 61234\n')
    expect(log).toContain('private-is-closed')
    expect(log).toContain('root-is-closed')
    expect(log).toMatch(/CapEff:\s+0000000000000000/)
    expect(log).toMatch(/NoNewPrivs:\s+1/)
    expect(resourcesIn((await states).at(-2)?.state)).toEqual(['terraform_data.a'])
    const left = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && startTicks(Number(name)) !== undefined)
    for (const name of left) expect((await stat(`/proc/${name}`).catch(() => undefined))?.uid).not.toBe(isolation.uid)
    expect((await stat(paths.stateFile)).uid).toBe(isolation.uid)
    await driver.shutdown()
  })

  it.skipIf(!isRoot)('does not lend the eyes of the worker to the job', async () => {
    const { driver, paths } = await bench.readyToApply(
      localExec('rm ../state/terraform.tfstate; ln -s /etc/shadow ../state/terraform.tfstate; kill -9 $PPID'),
      { worker: { isolation } },
    )
    await driver.apply()
    expect((await stat(paths.stateFile)).isFile()).toBe(true)
    await expect(driver.download(BlobKind.STATE)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('a rebind', () => {
  it('replaces the CLI configuration of the engine, and hides the new secret with the old ones', async () => {
    const main = `resource "terraform_data" "a" {
  provisioner "local-exec" {
    command = "cat $TF_CLI_CONFIG_FILE; echo planned-secret"
  }
}`
    const prepare = { cliConfig: '# of the plan', redact: ['planned-secret'] }
    const { driver, runner } = await bench.readyToPlan({ 'main.tf': main }, { prepare })
    expectSucceeded(await driver.plan())
    const next = { runId: driver.lease.runId, phase: Phase.APPLY, epoch: 1 }
    const access = { cliConfig: '# of the apply: applied-secret', redact: ['applied-secret'] }
    await runner.rebind({ lease: driver.lease, next, deadlineUnixMs: 0, certificatePem: '', privateKeyPem: '', ...access })
    const applied = await makeDriver(runner, next).apply()
    expectSucceeded(applied)
    const { log } = applied
    expect(log).toMatch(/# of the apply: (?!applied-secret)/)
    expect(log).not.toMatch(/planned-secret|applied-secret|of the plan/)
  })

  it('hands the new identity to the host', async () => {
    const shown: string[] = []
    const { driver, runner } = await bench.readyToPlan(
      { 'main.tf': 'resource "terraform_data" "a" {}' },
      { worker: { onIdentity: (leaf) => shown.push(leaf.certificatePem, leaf.privateKeyPem) } },
    )
    expectSucceeded(await driver.plan())
    const next = { runId: driver.lease.runId, phase: Phase.APPLY, epoch: 1 }
    await runner.rebind({
      lease: driver.lease,
      next,
      deadlineUnixMs: 0,
      certificatePem: 'cert',
      privateKeyPem: 'key',
      cliConfig: '',
      redact: [],
    })
    expect(shown).toEqual(['cert', 'key'])
  })
})

describe('shutdown', () => {
  it('tells the host, also of a worker that never had a lease, and ends everything', async () => {
    let told = 0
    const runner = makeWorker({
      workRoot: bench.workRoot,
      instanceId: 'i',
      installationId: 'inst-test',
      isolation: undefined,
      log: silentLog,
      clock: systemClock,
      onShutdown: () => (told += 1),
    })
    await runner.shutdown({ lease: undefined, cleanup: true })
    expect(told).toBe(1)
    await expect(runner.acquireLease({ lease: { runId: 'r', phase: Phase.PLAN, epoch: 1 }, deadlineUnixMs: 0 })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
  })

  it('is refused while a step runs', async () => {
    const { driver, runner } = await bench.readyToApply(localExec('sleep 300'))
    const applying = driver.apply()
    await waitFor(async () => (await runner.status({ lease: driver.lease })).operations.some(({ kind, done }) => kind === 'apply' && !done))
    await expect(driver.shutdown()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
    await runner.cancel({ lease: driver.lease, mode: CancelMode.KILL })
    await applying
    const states = await receiveStates(runner, driver.lease)
    expect(states.at(-1)?.final).toBe(true)
    await driver.shutdown()
  })
})
