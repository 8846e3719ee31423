import { isCancelable, isExecuting, isFinal, isLastBeforeApply, type RunStatus } from './statuses.ts'

/** What the machine needs to know of a run. */
export type RunFacts = {
  status: RunStatus
  isPlanOnly: boolean
  isSavePlan: boolean
  autoApply: boolean
  allowEmptyApply: boolean
  hasChanges: boolean
  cancelRequestedAt: Date | null
  forceCancelAvailableAt: Date | null
}

export type RunCommand =
  /** Its turn has come and the configuration is there. */
  | { kind: 'queue-plan' }
  | { kind: 'begin-plan' }
  | { kind: 'finish-plan'; hasChanges: boolean; mayAutoApply: boolean }
  | { kind: 'begin-apply' }
  | { kind: 'finish-apply' }
  /** The phase under way failed: engine error, lost runner, time limit. */
  | { kind: 'fail' }
  /** The phase under way ended because it was told to. */
  | { kind: 'phase-canceled' }
  /** `isBlocked`: another holder has the workspace's lock, so a saved plan cannot take it. `isStale`: the state has moved on since the plan. */
  | { kind: 'confirm'; isBlocked: boolean; isStale: boolean }
  | { kind: 'discard' }
  | { kind: 'cancel' }
  | { kind: 'force-cancel'; now: Date }
  /** A newer state or another applied run made a saved plan worthless. */
  | { kind: 'supersede' }

export type RunEffect =
  | 'lock-workspace'
  | 'unlock-workspace'
  | 'enqueue-plan'
  | 'enqueue-apply'
  /** Takes the work back from the runners, started or not. */
  | 'withdraw-work'
  | 'interrupt-work'
  | 'kill-work'
  | 'request-cancel'
  | 'mark-canceled'
  | 'mark-force-canceled'

export type Decision = {
  /** Statuses passed through, in order; the last one is where the run is now. Empty: the status stays. */
  path: RunStatus[]
  effects: RunEffect[]
  hasChanges?: boolean
}

export type Refusal = { refused: 'CONFLICT' | 'FORBIDDEN'; because: string }

export const isRefusal = (answer: Decision | Refusal): answer is Refusal => 'refused' in answer

const refuse = (because: string): Refusal => ({ refused: 'CONFLICT', because })

/** Plan-only runs and saved plans neither queue nor lock; a saved plan takes the lock when it is confirmed. */
export const holdsLock = (run: Pick<RunFacts, 'isPlanOnly' | 'isSavePlan' | 'status'>): boolean =>
  !run.isPlanOnly && !(run.isSavePlan && !isConfirmedOrLater(run.status)) && run.status !== 'pending'

const isConfirmedOrLater = (status: RunStatus): boolean =>
  status === 'confirmed' ||
  status.startsWith('pre_apply') ||
  status === 'queuing_apply' ||
  status === 'apply_queued' ||
  status === 'applying' ||
  status.startsWith('post_apply')

const release = (run: RunFacts): RunEffect[] => (holdsLock(run) ? ['unlock-workspace'] : [])

const APPLY_PATH: RunStatus[] = ['confirmed', 'queuing_apply', 'apply_queued']

const afterPlan = (run: RunFacts, hasChanges: boolean, mayAutoApply: boolean): Decision => {
  const isEmpty = !hasChanges && !run.allowEmptyApply
  if (run.isPlanOnly || (isEmpty && !run.isSavePlan))
    return { path: ['planned', 'planned_and_finished'], effects: release(run), hasChanges }
  if (run.isSavePlan)
    return { path: ['planned', hasChanges || run.allowEmptyApply ? 'planned_and_saved' : 'planned_and_finished'], effects: [], hasChanges }
  const isAutomatic = mayAutoApply && (run.autoApply || (!hasChanges && run.allowEmptyApply))
  return isAutomatic
    ? { path: ['planned', ...APPLY_PATH], effects: ['enqueue-apply'], hasChanges }
    : { path: ['planned'], effects: [], hasChanges }
}

/** Whether a person may confirm now. */
export const isConfirmable = (run: RunFacts): boolean =>
  run.cancelRequestedAt === null &&
  (run.status === 'planned_and_saved' || (isLastBeforeApply(run.status) && !run.isPlanOnly && (run.hasChanges || run.allowEmptyApply)))

/** Whether the run waits for a person who may say no. `pending` is accepted by the call but not advertised. */
export const isDiscardable = (run: RunFacts): boolean =>
  isConfirmable(run) || run.status === 'policy_override' || run.status === 'post_plan_awaiting_decision'

export const isForceCancelable = (run: RunFacts, now: Date): boolean =>
  run.cancelRequestedAt !== null && !isFinal(run.status) && run.forceCancelAvailableAt !== null && now >= run.forceCancelAvailableAt

/**
 * The one place that says what may follow what (platform behaviour, run transition table). Pure: the caller saves the path and
 * carries out the effects in the same transaction.
 */
export const decide = (run: RunFacts, command: RunCommand): Decision | Refusal => {
  if (isFinal(run.status)) return refuse(`The run has already ended (${run.status}).`)
  switch (command.kind) {
    case 'queue-plan':
      if (run.status !== 'pending') return refuse(`The run is not pending (${run.status}).`)
      return {
        path: ['queuing', 'plan_queued'],
        effects: [...(run.isPlanOnly || run.isSavePlan ? [] : ['lock-workspace' as const]), 'enqueue-plan'],
      }
    case 'begin-plan':
      // A second attempt after a lost runner finds the run planning already.
      if (run.status === 'planning') return { path: [], effects: [] }
      return run.status === 'plan_queued' ? { path: ['planning'], effects: [] } : refuse(`The run cannot plan now (${run.status}).`)
    case 'finish-plan':
      if (run.status !== 'planning') return refuse(`The run is not planning (${run.status}).`)
      // The plan was done before the interrupt reached it: who asked for the cancel still gets it.
      if (run.cancelRequestedAt !== null) return { path: ['canceled'], effects: ['mark-canceled', ...release(run)] }
      return afterPlan(run, command.hasChanges, command.mayAutoApply)
    case 'begin-apply':
      return run.status === 'apply_queued' ? { path: ['applying'], effects: [] } : refuse(`The run cannot apply now (${run.status}).`)
    case 'finish-apply':
      return run.status === 'applying' ? { path: ['applied'], effects: release(run) } : refuse(`The run is not applying (${run.status}).`)
    case 'fail':
      return { path: ['errored'], effects: release(run) }
    case 'phase-canceled':
      return { path: ['canceled'], effects: ['mark-canceled', ...release(run)] }
    case 'confirm':
      if (!isConfirmable(run)) return refuse(`The run cannot be applied in status ${run.status}.`)
      if (run.isSavePlan && command.isBlocked)
        return refuse('The workspace is locked or another run is active. Apply the saved plan when it is free.')
      if (run.isSavePlan && command.isStale)
        return refuse('The state of the workspace has changed since this plan was saved. Discard it and start a new run.')
      return { path: APPLY_PATH, effects: [...(run.isSavePlan ? ['lock-workspace' as const] : []), 'enqueue-apply'] }
    case 'discard':
      if (run.status !== 'pending' && !isDiscardable(run)) return refuse(`The run cannot be discarded in status ${run.status}.`)
      return { path: ['discarded'], effects: release(run) }
    case 'supersede':
      return run.status === 'planned_and_saved' ? { path: ['discarded'], effects: [] } : refuse('Only a saved plan can be superseded.')
    case 'cancel':
      if (run.cancelRequestedAt !== null) return refuse('A cancel was already requested.')
      if (!isCancelable(run.status)) return refuse(`The run cannot be canceled in status ${run.status}.`)
      if (isExecuting(run.status)) return { path: [], effects: ['request-cancel', 'interrupt-work'] }
      return { path: ['canceled'], effects: ['request-cancel', 'mark-canceled', 'withdraw-work', ...release(run)] }
    case 'force-cancel':
      if (!isForceCancelable(run, command.now)) return refuse('A run can be force-canceled only some time after a cancel was requested.')
      return { path: [], effects: ['mark-force-canceled', 'kill-work'] }
  }
}
