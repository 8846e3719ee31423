import type { PhaseIdentity } from '../phase-identity.ts'
import { RunnerError } from '../runner.ts'

export type PeerName =
  | { kind: 'controller'; installationId: string; replicaId: string }
  | { kind: 'runner'; installationId: string; identity: PhaseIdentity; instanceId: string }
  | { kind: 'idle-runner'; installationId: string; instanceId: string }

const MAX_LENGTH = 512
const SEGMENT = '([A-Za-z0-9_-]{1,128})'
const CONTROLLER = new RegExp(`^spiffe://${SEGMENT}/controller/${SEGMENT}$`)
const RUNNER = new RegExp(`^spiffe://${SEGMENT}/org/${SEGMENT}/ws/${SEGMENT}/run/${SEGMENT}/phase/(plan|apply)/runner/${SEGMENT}$`)
const IDLE_RUNNER = new RegExp(`^spiffe://${SEGMENT}/idle/runner/${SEGMENT}$`)

/** Prefix that every controller of the installation has, with its final slash. */
export const controllerUriPrefix = (installationId: string): string => `spiffe://${installationId}/controller/`

/** SAN of a controller's client leaf. Throws RunnerError `INVALID_ARGUMENT` for ids outside `A-Za-z0-9_-`. */
export const controllerUri = (installationId: string, replicaId: string): string =>
  checked(`${controllerUriPrefix(installationId)}${replicaId}`)

/** SAN of the server leaf of one runner instance. Throws RunnerError `INVALID_ARGUMENT` for ids outside `A-Za-z0-9_-`. */
export const runnerUri = (installationId: string, identity: PhaseIdentity, instanceId: string): string =>
  checked(
    `spiffe://${installationId}/org/${identity.organizationId}/ws/${identity.workspaceId}/run/${identity.runId}/phase/${identity.phase}/runner/${instanceId}`,
  )

/** SAN of a runner that has no phase yet. Throws RunnerError `INVALID_ARGUMENT` for ids outside `A-Za-z0-9_-`. */
export const idleRunnerUri = (installationId: string, instanceId: string): string =>
  checked(`spiffe://${installationId}/idle/runner/${instanceId}`)

/** What a SAN names, or undefined for anything that the functions above would not have made, byte for byte. */
export const parseSpiffeUri = (uri: string): PeerName | undefined => {
  if (uri.length > MAX_LENGTH) return undefined
  const controller = CONTROLLER.exec(uri)
  if (controller) {
    const [, installationId = '', replicaId = ''] = controller
    return { kind: 'controller', installationId, replicaId }
  }
  const idle = IDLE_RUNNER.exec(uri)
  if (idle) {
    const [, installationId = '', instanceId = ''] = idle
    return { kind: 'idle-runner', installationId, instanceId }
  }
  const runner = RUNNER.exec(uri)
  if (!runner) return undefined
  const [, installationId = '', organizationId = '', workspaceId = '', runId = '', phase, instanceId = ''] = runner
  return {
    kind: 'runner',
    installationId,
    identity: { organizationId, workspaceId, runId, phase: phase === 'apply' ? 'apply' : 'plan' },
    instanceId,
  }
}

const checked = (uri: string): string => {
  if (!parseSpiffeUri(uri))
    throw new RunnerError('INVALID_ARGUMENT', `an id in ${JSON.stringify(uri)} cannot be part of a certificate name`)
  return uri
}
