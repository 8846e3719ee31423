import { z } from 'zod'
import { toOne } from '../api/index.ts'

const addresses = z.array(z.string().min(1).max(4096)).max(1000).nullish()

/** `POST runs`. Absent and null mean the default. */
export const CreateRun = z.object({
  message: z.string().nullish(),
  autoApply: z.boolean().nullish(),
  isDestroy: z.boolean().nullish(),
  refresh: z.boolean().nullish(),
  refreshOnly: z.boolean().nullish(),
  planOnly: z.boolean().nullish(),
  savePlan: z.boolean().nullish(),
  allowEmptyApply: z.boolean().nullish(),
  allowConfigGeneration: z.boolean().nullish(),
  debuggingMode: z.boolean().nullish(),
  terraformVersion: z.string().nullish(),
  targetAddrs: addresses,
  replaceAddrs: addresses,
  invokeActionAddrs: addresses,
  policyPaths: addresses,
  variables: z
    .array(z.object({ key: z.string().min(1).max(256), value: z.string() }))
    .max(1000)
    .nullish(),
  workspace: toOne('workspaces').nullish(),
  configurationVersion: toOne('configuration-versions').nullish(),
})
export type CreateRun = z.output<typeof CreateRun>

/** Body of the run actions. */
export const RunAction = z.object({ comment: z.string().max(65_535).nullish() })

/** `POST runs/:id/comments`. */
export const CreateComment = z.object({ body: z.string().min(1, { error: "Body can't be blank" }).max(65_535) })

export const CreateConfigurationVersion = z.object({
  autoQueueRuns: z.boolean().nullish(),
  speculative: z.boolean().nullish(),
  provisional: z.boolean().nullish(),
})
export type CreateConfigurationVersion = z.output<typeof CreateConfigurationVersion>
