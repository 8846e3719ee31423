import { z } from 'zod'
import { parseDurationMs } from '../platform/parse-duration.ts'

/** `2h`, `90m`; only ever shortens what the server allows. */
const timeLimit = z
  .string()
  .refine((text) => parseDurationMs(text) !== undefined, { error: 'is a duration like 2h or 90m' })
  .nullable()
const minutes = z.number().int().min(1).max(5_256_000).nullable()

/** Settings that are kept and echoed. Of them the time limits are read elsewhere, where a phase begins. */
const shape = {
  aggregatedCommitStatusEnabled: z.boolean(),
  applyTimeout: timeLimit,
  assessmentsEnforced: z.boolean(),
  collaboratorAuthPolicy: z.enum(['password', 'two_factor_mandatory']),
  costEstimationEnabled: z.boolean(),
  maxTtlEnabled: z.boolean(),
  ownersTeamSamlRoleId: z.string().max(255).nullable(),
  planTimeout: timeLimit,
  sendPassingStatusesForUntriggeredSpeculativePlans: z.boolean(),
  sessionRemember: minutes,
  sessionTimeout: minutes,
  speculativePlanManagementEnabled: z.boolean(),
}

export const Settings = z.object(shape).partial()
export type Settings = Required<z.output<typeof Settings>>

export const defaultSettings: Settings = {
  aggregatedCommitStatusEnabled: true,
  applyTimeout: null,
  assessmentsEnforced: false,
  collaboratorAuthPolicy: 'password',
  costEstimationEnabled: false,
  maxTtlEnabled: false,
  ownersTeamSamlRoleId: null,
  planTimeout: null,
  sendPassingStatusesForUntriggeredSpeculativePlans: false,
  sessionRemember: null,
  sessionTimeout: null,
  speculativePlanManagementEnabled: true,
}

/** The given ones over those that were. */
export const mergeSettings = (before: Settings, given: Partial<Settings>): Settings => ({
  ...before,
  ...Object.fromEntries(Object.entries(given).filter(([name, value]) => name in shape && value !== undefined)),
})
