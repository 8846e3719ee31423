import { type Lease, type LeaseRequest, Phase } from '../gen/runner/v1/runner.ts'
import { RunnerError } from '../runner.ts'

export type LeaseGuard = {
  readonly current: Lease | undefined
  /** Throws RunnerError `OP_CONFLICT`, `LEASE_FENCED` or `INVALID_ARGUMENT`. */
  acquire(request: LeaseRequest): Lease
  /** As if there had never been one: the phase could not begin. */
  release(): void
  /** The runner of a plan becomes the one of the apply. Throws RunnerError `INVALID_ARGUMENT` for anything else. */
  rebind(next: Lease | undefined): Lease
  /** Throws RunnerError `FAILED_PRECONDITION` without a lease here, `LEASE_FENCED` unless the given one is in force. */
  check(lease: Lease | undefined): void
}

/** Who may give orders to this worker: one phase of one run for life, the highest epoch of it. */
export const makeLease = (): LeaseGuard => {
  let current: Lease | undefined
  return {
    get current() {
      return current
    },
    acquire({ lease }) {
      if (
        lease === undefined ||
        !/^[A-Za-z0-9_-]{1,64}$/.test(lease.runId) ||
        (lease.phase !== Phase.PLAN && lease.phase !== Phase.APPLY) ||
        lease.epoch < 1
      )
        throw new RunnerError('INVALID_ARGUMENT', 'A lease needs a run id, a phase and an epoch from 1.')
      if (current !== undefined && (current.runId !== lease.runId || current.phase !== lease.phase))
        throw new RunnerError('OP_CONFLICT', 'This runner belongs to another run or phase.')
      if (current !== undefined && current.epoch > lease.epoch)
        throw new RunnerError('LEASE_FENCED', `The lease has epoch ${current.epoch} by now.`)
      current = { ...lease }
      return current
    },
    release() {
      current = undefined
    },
    rebind(next) {
      if (
        next === undefined ||
        next.runId !== current?.runId ||
        current.phase !== Phase.PLAN ||
        next.phase !== Phase.APPLY ||
        next.epoch < 1
      )
        throw new RunnerError('INVALID_ARGUMENT', 'Only the apply of the run that was planned here can follow.')
      current = { ...next }
      return current
    },
    check(lease) {
      if (current === undefined) throw new RunnerError('FAILED_PRECONDITION', 'Acquire the lease first.')
      if (lease === undefined || lease.runId !== current.runId || lease.phase !== current.phase || lease.epoch !== current.epoch)
        throw new RunnerError('LEASE_FENCED', 'The call does not carry the lease in force.')
    },
  }
}
