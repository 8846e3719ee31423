import type { Clock } from '../../src/platform/clock.ts'
import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ControllerDeps } from '../../src/runner/controller/deps.ts'
import { type Allocator, type Placement, makeAllocator, makeInProcessPlacement } from '../../src/runner/controller/index.ts'
import { INSTALLATION } from '../contract/runner-driver.ts'
import type { TestResource } from './answer.ts'
import { captureLog } from './captured-log.ts'
import { type RunApi, makeRunApi } from './runs.ts'
import { waitFor } from './wait-for.ts'

type Options = {
  capacity?: number
  leaseMs?: number
  /** Around the runners of this controller. */
  placement?: (inner: Placement) => Placement
  limits?: Partial<ControllerDeps['limits']>
  /** Its name, and who knows which of the others are gone. */
  controllerId?: string
  presence?: ControllerDeps['presence']
  /** Around its database. */
  db?: (inner: ControllerDeps['db']) => ControllerDeps['db']
}

export type Controllers = RunApi & {
  /** A controller at work, which hears of new jobs at once. It ends with the test. */
  startController(options?: Options): Allocator
  /** The placement that all controllers share: runners of this process. */
  placement: Placement
  /** Directories of runs that were not removed. */
  runDirectories(): Promise<string[]>
  /** What all controllers have logged. */
  logged(): string
  /** The run, once it is in one of the statuses. */
  runIn(id: string, ...statuses: string[]): Promise<TestResource>
  logOf(id: string, phase: 'plan' | 'apply'): Promise<string>
  /** Managed resources in the workspace's current state. */
  resourcesOf(workspaceId: string): Promise<string[]>
  /** A workspace with an uploaded configuration. */
  workspaceOf(main: string, attributes?: Record<string, unknown>): Promise<string>
}

/** The API with controllers that execute runs by the real terraform, in runners of this process. Removed after the running test. */
export const makeControllers = async (
  options: { forceCancelCoolOffMs?: number; clock?: Clock; capacity?: number } = {},
): Promise<Controllers> => {
  const log = captureLog()
  const api = await makeRunApi({ log: log.log, ...options })
  const workRoot = await mkdtemp(join(tmpdir(), 'terrane-work-'))
  await chmod(workRoot, 0o711)
  const clock = api.clock
  const placement = makeInProcessPlacement({
    installationId: INSTALLATION,
    controllerId: 'test',
    workRoot,
    isolation: undefined,
    log: log.log,
    clock,
  })
  const started: Allocator[] = []
  onTestFinished(async () => {
    api.listener.current = undefined
    for (const allocator of started) await allocator.stop()
    await endRunners(api, placement)
    await api.drop()
    await rm(workRoot, { recursive: true, force: true })
  })

  return {
    ...api,
    placement,
    startController: ({ capacity = 4, leaseMs = 30_000, placement: around, db: aroundDb, ...given } = {}) => {
      // safe because the test database has the tables of every slice
      const whole = api.db as unknown as ControllerDeps['db']
      const db = aroundDb?.(whole) ?? whole
      const allocator = makeAllocator({
        db,
        clock,
        log: log.log,
        blobs: api.blobs,
        runs: { ...api.runDeps, db },
        state: api.state,
        placement: around?.(placement) ?? placement,
        engines: api.engines,
        controllerId: given.controllerId ?? randomUUID(),
        ...(given.presence === undefined ? {} : { presence: given.presence }),
        access: api.access,
        limits: {
          capacity,
          planMs: 120_000,
          applyMs: 120_000,
          leaseMs,
          killGraceMs: 20_000,
          artifactBytes: 1 << 28,
          stateBytes: 1 << 28,
          ...given.limits,
        },
      })
      started.push(allocator)
      api.listener.current = allocator.signals
      allocator.start({ isAlone: false })
      return allocator
    },
    runDirectories: () => readdir(workRoot),
    logged: log.text,
    runIn: (id, ...statuses) =>
      waitFor(
        async () => {
          const run = await api.run(id)
          const status = String(run.attributes['status'])
          if (!statuses.includes(status) && finals.has(status)) throw new Error(`run ${id} is ${status}:\n${log.text().slice(-4000)}`)
          return statuses.includes(status) ? run : undefined
        },
        { timeoutMs: 60_000, everyMs: 20, what: `run ${id} in ${statuses.join(' or ')}` },
      ),
    logOf: async (id, phase) => {
      const linkage = (await api.run(id)).relationships[phase]?.data
      if (linkage === null || linkage === undefined || Array.isArray(linkage)) throw new Error(`the run has no ${phase}`)
      return (await api.runs.readLog(linkage.id, 0, 1 << 20)).toString()
    },
    resourcesOf: async (workspaceId) => {
      const current = await api.request('GET', `workspaces/${workspaceId}/current-state-version`)
      if (current.status === 404) return []
      const { text } = await api.request('GET', String(current.one().attributes['hosted-state-download-url']), { token: '' })
      const { resources } = JSON.parse(text) as { resources: { type: string; name: string; instances: { status?: string }[] }[] }
      return resources.flatMap(({ type, name, instances }) =>
        instances.map(({ status }) => `${type}.${name}${status === undefined ? '' : ` (${status})`}`),
      )
    },
    workspaceOf: async (main, attributes = {}) => {
      const { id } = await api.newWorkspace(attributes)
      await api.configured(id, { 'main.tf': main })
      return id
    },
  }
}

const finals = new Set(['applied', 'planned_and_finished', 'discarded', 'errored', 'canceled'])

/** A controller leaves phases under way to the next one; here there is none. */
const endRunners = async ({ db }: RunApi, placement: Placement): Promise<void> => {
  for (const { runnerRef } of await db.select().from(db.t.runnerJobs)) if (runnerRef !== null) await placement.destroy(runnerRef)
}
