import type { HandshakeReply, StepEvent } from '../../src/runner/gen/runner/v1/runner.ts'
import type { Runner } from '../../src/runner/runner.ts'
import { RunnerError } from '../../src/runner/runner.ts'

const handshakeReply = (nonceEcho: string, instanceId: string): HandshakeReply => ({
  proto: 1,
  instanceId,
  bootId: 'boot',
  nowUnixMs: Date.now(),
  nonceEcho,
  os: 'linux',
  arch: 'x64',
  cpu: 1,
  memBytes: 1,
  sandbox: undefined,
  lease: undefined,
  operations: [],
})

const unsupported = (): never => {
  throw new RunnerError('FAILED_PRECONDITION', 'not here')
}

/** A runner without an engine, for tests of what carries its calls: answers handshakes; `override` adds what a test needs. */
export const makeEchoRunner = (override: Partial<Runner> = {}, instanceId = 'instance'): Runner => ({
  handshake: async (request) => handshakeReply(request.nonce, instanceId),
  acquireLease: async (request) => ({ lease: request.lease }),
  upload: async () => unsupported(),
  download: unsupported,
  prepare: unsupported,
  init: unsupported,
  detectDrift: unsupported,
  plan: unsupported,
  apply: unsupported,
  show: unsupported,
  output: unsupported,
  providerSchemas: unsupported,
  attach: unsupported,
  stateStream: unsupported,
  cancel: async () => ({ delivered: false }),
  rebind: async () => unsupported(),
  status: async (request) => ({ lease: request.lease, operations: [], unackedSnapshots: 0 }),
  shutdown: async () => ({}),
  ...override,
})

export const logEvent = (seq: number, bytes: Buffer): StepEvent => ({
  opId: 'op',
  seq,
  atUnixMs: 0,
  event: { $case: 'log', value: { offset: 0, bytes } },
})
