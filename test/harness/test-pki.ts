import type { Clock } from '../../src/platform/clock.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { type Ca, generateCa, loadCa } from '../../src/runner/pki/ca.ts'
import { issueLeaf } from '../../src/runner/pki/issue.ts'
import type { Leaf } from '../../src/runner/pki/sign-leaf.ts'
import { controllerUri, runnerUri } from '../../src/runner/pki/spiffe.ts'
import type { PhaseIdentity } from '../../src/runner/phase-identity.ts'

export const INSTALLATION = 'installation1'
export const IDENTITY: PhaseIdentity = { organizationId: 'org-1', workspaceId: 'ws-1', runId: 'run-1', phase: 'plan' }
export const RUNNER_URI = runnerUri(INSTALLATION, IDENTITY, 'instance')
export const CONTROLLER_URI = controllerUri(INSTALLATION, 'replica')
export const HOUR_MS = 3_600_000

export const clockAt = (offsetMs: number): Clock => ({
  now: () => new Date(Date.now() + offsetMs),
  monotonicMs: () => performance.now(),
})

export const newCa = async (clock: Clock = systemClock): Promise<Ca> =>
  loadCa({ ...(await generateCa({ installationId: INSTALLATION, clock })), clock })

export const runnerLeaf = (ca: Ca, uri = RUNNER_URI, lifetimeMs = HOUR_MS): Promise<Leaf> =>
  issueLeaf(ca, { uri, usage: 'server', lifetimeMs })

export const controllerLeaf = (ca: Ca, uri = CONTROLLER_URI, lifetimeMs = HOUR_MS): Promise<Leaf> =>
  issueLeaf(ca, { uri, usage: 'client', lifetimeMs })
