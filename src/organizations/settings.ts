import { z } from 'zod'

const minutes = z.number().int().min(1).max(5_256_000).nullable()

/** Settings that are kept and echoed; nothing else in the product reads them yet. */
const shape = {
  aggregatedCommitStatusEnabled: z.boolean(),
  assessmentsEnforced: z.boolean(),
  collaboratorAuthPolicy: z.enum(['password', 'two_factor_mandatory']),
  costEstimationEnabled: z.boolean(),
  maxTtlEnabled: z.boolean(),
  ownersTeamSamlRoleId: z.string().max(255).nullable(),
  sendPassingStatusesForUntriggeredSpeculativePlans: z.boolean(),
  sessionRemember: minutes,
  sessionTimeout: minutes,
  speculativePlanManagementEnabled: z.boolean(),
}

export const Settings = z.object(shape).partial()
export type Settings = Required<z.output<typeof Settings>>

export const defaultSettings: Settings = {
  aggregatedCommitStatusEnabled: true,
  assessmentsEnforced: false,
  collaboratorAuthPolicy: 'password',
  costEstimationEnabled: false,
  maxTtlEnabled: false,
  ownersTeamSamlRoleId: null,
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
