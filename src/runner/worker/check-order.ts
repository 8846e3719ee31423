import { Phase } from '../gen/runner/v1/runner.ts'
import { RunnerError } from '../runner.ts'
import type { Session } from './session.ts'

export type StepKind = 'prepare' | 'init' | 'plan' | 'drift' | 'apply' | 'show-plan' | 'show-state' | 'output' | 'provider-schemas'

/** Throws RunnerError `FAILED_PRECONDITION` for a step out of order. Pure. */
export const checkOrder = (kind: StepKind, session: Session, running: string | undefined): void => {
  const refuse = (text: string): never => {
    throw new RunnerError('FAILED_PRECONDITION', text)
  }
  if (running !== undefined) refuse(`The step ${running} is still running.`)
  // Every step answers at once that the phase was stopped.
  if (session.stop.reason !== undefined) return
  if (kind === 'prepare') {
    if (session.prepareStarted) refuse('The phase is prepared already.')
    return
  }
  if (session.prepared === undefined) refuse(`The step ${kind} needs a successful prepare.`)
  if (kind === 'init') return
  if (!session.initialised) refuse(`The step ${kind} needs a successful init.`)
  if ((kind === 'plan' || kind === 'drift') && session.phase !== Phase.PLAN) refuse(`The step ${kind} belongs to the plan phase.`)
  if (kind === 'show-plan' && !session.planned) refuse('There is no plan to show.')
  if (kind !== 'apply') return
  if (session.phase !== Phase.APPLY) refuse('The step apply belongs to the apply phase.')
  if (!session.planned) refuse('The step apply needs a plan.')
  if (session.applyStarted) refuse('The plan was applied already; a plan is applied once.')
}
