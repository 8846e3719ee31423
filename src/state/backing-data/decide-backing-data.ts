import { AppError } from '../../platform/errors.ts'
import type { BackingDataStatus } from '../tables.ts'

export const backingDataActions = ['soft_delete_backing_data', 'restore_backing_data', 'permanently_delete_backing_data'] as const
export type BackingDataAction = (typeof backingDataActions)[number]

/** Whether the files of a version are marked for deletion, or gone. */
export const isBackingDataDeleted = (status: string): boolean =>
  status === 'backing_data_soft_deleted' || status === 'backing_data_permanently_deleted'

type Facts<S> = {
  status: S
  /** Status of a version that has its files. */
  stored: S
  /** Why the files must stay, e.g. `is current`. */
  keptBecause: string | undefined
}

const verbs: Record<BackingDataAction, string> = {
  soft_delete_backing_data: 'soft deleted',
  restore_backing_data: 'restored',
  permanently_delete_backing_data: 'permanently deleted',
}

/**
 * The next status of a state version or configuration version: stored → soft deleted → permanently deleted, and back from the first step.
 * Throws BAD_REQUEST; clients look for `transition not allowed`.
 */
export const decideBackingData = <S extends string>(
  action: BackingDataAction,
  { status, stored, keptBecause }: Facts<S | BackingDataStatus>,
): S | BackingDataStatus => {
  const isStored = status === stored
  const isSoftDeleted = status === 'backing_data_soft_deleted'
  if (action === 'soft_delete_backing_data' && isStored && keptBecause === undefined) return 'backing_data_soft_deleted'
  if (action === 'restore_backing_data' && isSoftDeleted) return stored
  if (action === 'permanently_delete_backing_data' && isSoftDeleted) return 'backing_data_permanently_deleted'
  const because = isStored && keptBecause !== undefined ? keptBecause : `is ${status}`
  throw new AppError('BAD_REQUEST', `The stored files of this version cannot be ${verbs[action]}, because it ${because}.`, {
    title: 'transition not allowed',
  })
}
