import type { RunView } from './describe-runs.ts'
import { isConfirmable, isDiscardable, isForceCancelable } from './run-machine.ts'
import { isCancelable } from './statuses.ts'

/** What the state of the run allows now, whoever asks. */
export const availableActions = ({ run, now }: Pick<RunView, 'run' | 'now'>) => ({
  canCancel: isCancelable(run.status) && run.cancelRequestedAt === null,
  canConfirm: isConfirmable(run),
  canDiscard: isDiscardable(run),
  canForceCancel: isForceCancelable(run, now),
})
