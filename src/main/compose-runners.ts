import { fileURLToPath } from 'node:url'
import {
  makeAllocator,
  makeInProcessPlacement,
  makeProcessPlacement,
  makeRunnerAuthority,
  type Allocator,
  type Placement,
  type RunAccess,
} from '../runner/controller/index.ts'
import type { Engines } from '../runner/engines/make-engines.ts'
import type { RunDeps } from '../runs/index.ts'
import type { State } from '../state/index.ts'
import type { Platform } from './compose-platform.ts'
import type { ServerConfig } from './config.ts'

const MIB = 1024 * 1024
/** For the engines of every server of this machine that runs as root. */
const ENGINE_USERS = { firstUid: 60_000, count: 1000, claimsDirectory: '/var/lib/terrane/uids' }

/** Whether engines run as users of their own: only root can start them so. */
export const isIsolated = (): boolean => process.getuid?.() === 0

/** The runners of this machine and the loop that gives them work. */
export const composeRunners = (
  config: ServerConfig,
  platform: Platform,
  { runDeps, state, engines, access }: { runDeps: RunDeps; state: State; engines: Engines; access: RunAccess },
): { allocator: Allocator; placement: Placement } => {
  const { installationId, controllerId, log, clock } = platform
  const isolation = isIsolated() ? ENGINE_USERS : undefined
  const local = { installationId, controllerId, workRoot: config.workDir, isolation, log, clock }
  const authority = makeRunnerAuthority(platform)
  const placement =
    config.runner === 'in-process'
      ? makeInProcessPlacement(local)
      : makeProcessPlacement({
          ...local,
          ca: async (fingerprint) => {
            const ca = await authority(fingerprint)
            return { ca, trustPem: [ca.certificatePem] }
          },
          phaseMs: Math.max(config.planTimeoutMs, config.applyTimeoutMs),
          runnerEntry: runnerEntry(),
        })
  const isLinkDead = config.publicUrl.startsWith('http:')
  const allocator = makeAllocator({
    db: platform.db,
    clock,
    log,
    blobs: platform.blobs,
    runs: runDeps,
    state,
    placement,
    engines,
    controllerId,
    access,
    ...(platform.presence === undefined ? {} : { presence: platform.presence }),
    ...(isLinkDead
      ? {
          runUrlFor: ({ organizationName, workspace, run }) =>
            `${config.publicUrl}/app/${organizationName}/workspaces/${workspace.name}/runs/${run.id}`,
        }
      : {}),
    limits: {
      capacity: config.runnerCapacity,
      planMs: config.planTimeoutMs,
      applyMs: config.applyTimeoutMs,
      leaseMs: config.leaseMs,
      killGraceMs: 20_000,
      artifactBytes: 1024 * MIB,
      stateBytes: 512 * MIB,
    },
  })
  return { allocator, placement }
}

/** Command that starts a worker: the bundle beside this one, or the source in a clone. */
const runnerEntry = (): string[] =>
  import.meta.url.endsWith('.ts')
    ? [
        ...nodeCommand,
        '--import',
        fileURLToPath(import.meta.resolve('tsx')),
        fileURLToPath(new URL('../bin/terrane-runner.ts', import.meta.url)),
      ]
    : [...nodeCommand, fileURLToPath(new URL('./terrane-runner.cjs', import.meta.url))]

/** A worker trusts our own authority alone. Without the switch Node.js reads all of those it comes with, before the first connection. */
const nodeCommand = [process.execPath, '--use-openssl-ca']
