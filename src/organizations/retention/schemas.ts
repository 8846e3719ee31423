import { z } from 'zod'
import { retentionTypes } from './retention-policy.ts'

const HUNDRED_YEARS = 36_500

const days = z
  .int({ error: 'Delete older than n days must be a whole number of days' })
  .min(1, { error: 'Delete older than n days must be at least 1' })
  .max(HUNDRED_YEARS, { error: `Delete older than n days must be at most ${HUNDRED_YEARS}` })

export const SetRetentionPolicy = z
  .object({ type: z.enum([retentionTypes.deleteOlder, retentionTypes.dontDelete]), deleteOlderThanNDays: days.optional() })
  .refine(({ type, deleteOlderThanNDays }) => type === retentionTypes.dontDelete || deleteOlderThanNDays !== undefined, {
    path: ['deleteOlderThanNDays'],
    error: 'Delete older than n days is required',
  })
  .transform(({ type, deleteOlderThanNDays }) => (type === retentionTypes.dontDelete ? null : (deleteOlderThanNDays ?? null)))

export const SetLegacyRetentionPolicy = z.object({ deleteOlderThanNDays: days })
