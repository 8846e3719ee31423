import { z } from 'zod'
import { type Relationship, type Resource, linkOne, resourceType } from '../../api/index.ts'
import type { RetentionPolicy } from '../tables.ts'
import { retentionTypes } from './retention-policy.ts'

const days = z.object({ 'delete-older-than-n-days': z.int() })
const deleteOlderType = resourceType(retentionTypes.deleteOlder, { attributes: days })
const dontDeleteType = resourceType(retentionTypes.dontDelete, { attributes: z.object({}) })
/** What clients from before there were two types get. */
export const legacyRetentionType = resourceType(retentionTypes.legacy, { attributes: days })
export const retentionPolicyTypes = [deleteOlderType, dontDeleteType]

export const retentionPolicyResource = ({ id, deleteOlderThanDays }: RetentionPolicy, type = deleteOlderType): Resource =>
  deleteOlderThanDays === null
    ? dontDeleteType.of({ id, attributes: {} })
    : type.of({ id, attributes: { 'delete-older-than-n-days': deleteOlderThanDays } })

/** The relationship `data-retention-policy` of an organization or a workspace. */
export const linkRetentionPolicy = (policy: RetentionPolicy | null): Relationship => {
  if (policy === null) return linkOne(retentionTypes.legacy, null)
  return linkOne(policy.deleteOlderThanDays === null ? retentionTypes.dontDelete : retentionTypes.deleteOlder, policy.id)
}
