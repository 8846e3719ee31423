import { z } from 'zod'
import { toManyNew } from '../api/index.ts'
import { Settings } from './settings.ts'

const organizationName = z
  .string()
  .min(1)
  .max(40)
  .regex(/^[\w-]+$/, { error: 'Name may only contain letters, numbers, dashes and underscores' })
const email = z
  .string()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, { error: 'Email is invalid' })
const executionMode = z.enum(['remote', 'local'], {
  error: "Default execution mode must be 'remote' or 'local': this server has no agents",
})

export const UpdateOrganization = Settings.extend({
  name: organizationName.optional(),
  email: email.optional(),
  defaultExecutionMode: executionMode.optional(),
  userTokensEnabled: z.boolean().optional(),
  allowForceDeleteWorkspaces: z.boolean().optional(),
})
export type UpdateOrganization = z.output<typeof UpdateOrganization>

export const CreateOrganization = UpdateOrganization.extend({ name: organizationName, email })
export type CreateOrganization = z.output<typeof CreateOrganization>

const projectName = z
  .string()
  .min(3)
  .max(40)
  .regex(/^[\w-]([\w -]*[\w-])?$/, { error: 'Name may only contain letters, numbers, inner spaces, dashes and underscores' })

/** Attributes of a project that this server cannot give a value of its own: an inherited value is accepted, another refused. */
const inherited = (label: string) => z.null({ error: `${label} cannot be set on a project` }).optional()

export const UpdateProject = z.object({
  name: projectName.optional(),
  /** Null clears. */
  description: z.string().max(256).nullish(),
  autoDestroyActivityDuration: inherited('Auto destroy activity duration'),
  defaultAgentPoolId: inherited('Default agent pool'),
  tagBindings: toManyNew('tag-bindings', z.object({ key: z.string().optional(), value: z.string().nullish() })).nullish(),
  /** Must be the organization's. */
  defaultExecutionMode: z.string().optional(),
})
export type UpdateProject = z.output<typeof UpdateProject>

export const CreateProject = UpdateProject.extend({ name: projectName })
export type CreateProject = z.output<typeof CreateProject>
