import { newId } from '../../platform/ids.ts'
import type { RetentionPolicy } from '../tables.ts'

/** Types of the resource; the last is that of clients from before there were two, and always deletes. */
export const retentionTypes = {
  deleteOlder: 'data-retention-policy-delete-olders',
  dontDelete: 'data-retention-policy-dont-deletes',
  legacy: 'data-retention-policies',
} as const

/** `days` of null: never delete. A policy of the same kind keeps its id. */
export const nextPolicy = (current: RetentionPolicy | null, days: number | null): RetentionPolicy => {
  const isSameKind = current !== null && (current.deleteOlderThanDays === null) === (days === null)
  return { id: isSameKind ? current.id : newId('drp'), deleteOlderThanDays: days }
}
