import { z } from 'zod'
import { toManyNew, toOne } from '../../api/index.ts'

const bool = z.boolean().nullish()
const text = (maxLength: number) => z.string().max(maxLength).nullish()
const paths = z.array(z.string().max(1024)).max(500).nullish()

const noVcs = { error: 'VCS connections are not supported by this server yet' }
const noHyok = { error: 'Hold-your-own-key encryption is not supported by this server' }

const settings = {
  description: text(10_000),
  executionMode: z.enum(['remote', 'local', 'agent']).nullish(),
  /** Deprecated: false is execution mode `local`. */
  operations: bool,
  agentPoolId: text(100),
  settingOverwrites: z.object({ executionMode: bool, agentPool: bool }).nullish(),
  /** Own to this server: who executes runs, `terraformVersion` being a version of it. */
  engine: z.enum(['terraform', 'tofu'], { error: 'Engine must be terraform or tofu' }).nullish(),
  terraformVersion: text(200),
  workingDirectory: text(1024),
  autoApply: bool,
  autoApplyRunTrigger: bool,
  allowDestroyPlan: bool,
  assessmentsEnabled: bool,
  fileTriggersEnabled: bool,
  globalRemoteState: bool,
  projectRemoteState: bool,
  queueAllRuns: bool,
  speculativeEnabled: bool,
  structuredRunOutputEnabled: bool,
  inheritsProjectAutoDestroy: bool,
  autoDestroyAt: z.iso.datetime({ offset: true, error: 'Auto destroy at must be a time such as 2030-01-02T03:04:05Z' }).nullish(),
  autoDestroyActivityDuration: text(100),
  triggerPrefixes: paths,
  triggerPatterns: paths,
  vcsRepo: z.null(noVcs).optional(),
  hyokEnabled: z.literal(false, noHyok).nullish(),
  project: toOne('projects').nullish(),
  tagBindings: toManyNew('tag-bindings', z.object({ key: z.string().optional(), value: z.string().nullish() })).nullish(),
}

export const CreateWorkspaceBody = z.object({
  ...settings,
  name: z.string({ error: "Name can't be blank" }),
  sourceName: text(1024),
  sourceUrl: text(2048),
  tags: toManyNew('tags', z.object({ name: z.string().optional() })).nullish(),
})

export const UpdateWorkspaceBody = z.object({ ...settings, name: z.string().nullish() })

export type CreateWorkspace = z.output<typeof CreateWorkspaceBody>
export type UpdateWorkspace = z.output<typeof UpdateWorkspaceBody>
