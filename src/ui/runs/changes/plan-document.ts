import { z } from 'zod'

const anything = z.unknown().optional()

const change = z.object({
  actions: z.array(z.string()),
  before: anything,
  after: anything,
  after_unknown: anything,
  before_sensitive: anything,
  after_sensitive: anything,
  replace_paths: z.array(z.array(z.union([z.string(), z.number()]))).optional(),
  importing: anything,
})

const resourceChange = z.object({
  address: z.string(),
  previous_address: z.string().optional(),
  deposed: z.string().optional(),
  mode: z.string().optional(),
  action_reason: z.string().optional(),
  change,
})

/** The parts of `terraform show -json PLAN` that the page shows. */
export const planDocument = z.object({
  resource_changes: z.array(resourceChange).default([]),
  resource_drift: z.array(resourceChange).default([]),
  output_changes: z.record(z.string(), change).default({}),
})

export type PlanDocument = z.output<typeof planDocument>
export type PlannedChange = z.output<typeof change>
export type PlannedResource = z.output<typeof resourceChange>
