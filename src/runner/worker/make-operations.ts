import { join } from 'node:path'
import { errorMessage } from '../../platform/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { OperationState, StepResult } from '../gen/runner/v1/runner.ts'
import { RunnerError } from '../runner.ts'
import { makeOperation, type Operation, type StepOutput } from './operation/make-operation.ts'
import type { Session } from './session.ts'

const MAX_OP_ID_LENGTH = 128

export type Operations = {
  readonly states: OperationState[]
  /** Kind of the step that has no result yet. */
  readonly running: string | undefined
  /** Undefined for an unknown id. Throws RunnerError `OP_CONFLICT` when it belongs to another kind of step. */
  find(opId: string, kind?: string): Operation | undefined
  start(opId: string, kind: string, session: Session, work: (output: StepOutput) => Promise<StepResult>): Operation
  /** Resolves when no step runs. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** The steps of this worker by id; each runs on by itself, whoever follows it. */
export const makeOperations = (clock: Clock, logLimitBytes: number): Operations => {
  const operations = new Map<string, Operation>()
  let work: Promise<void> = Promise.resolve()
  return {
    get states() {
      return [...operations.values()].map((operation) => operation.state)
    },
    get running() {
      return [...operations.values()].find((operation) => !operation.state.done)?.state.kind
    },
    find(opId, kind) {
      const operation = operations.get(opId)
      if (operation !== undefined && kind !== undefined && operation.state.kind !== kind)
        throw new RunnerError('OP_CONFLICT', `The operation ${JSON.stringify(opId)} is a ${operation.state.kind}, not a ${kind}.`)
      return operation
    },
    start(opId, kind, session, run) {
      if (opId === '' || opId.length > MAX_OP_ID_LENGTH)
        throw new RunnerError('INVALID_ARGUMENT', `An op_id has 1 to ${MAX_OP_ID_LENGTH} characters.`)
      const path = join(session.paths.operations, `${String(operations.size + 1).padStart(4, '0')}-${kind}.events`)
      const onWriteError = (error: Error): void => {
        session.log.error({ kind, reason: errorMessage(error) }, 'events of a step cannot be stored')
        session.stop.interrupt('disk-full')
      }
      const operation = makeOperation({ opId, kind, path, clock, logLimitBytes, onWriteError })
      operations.set(opId, operation)
      work = run(operation.output).then((result) => operation.finish(result))
      return operation
    },
    idle: async () => work,
    async close() {
      await work
      for (const operation of operations.values()) operation.close()
    },
  }
}
