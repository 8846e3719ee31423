import { z } from 'zod'
import { toMany, toManyNew, toOneOf } from '../api/index.ts'
import { CreateVariable } from '../workspaces/index.ts'

const name = z.string().min(1).max(90)

export const UpdateVariableSet = z.object({
  name: name.optional(),
  description: z.string().max(512).nullish(),
  global: z.boolean().optional(),
  priority: z.boolean().optional(),
  /** Absent leaves them alone, a list replaces them. */
  workspaces: toMany('workspaces').optional(),
  projects: toMany('projects').optional(),
  /** Whole definitions, which are added. */
  vars: toManyNew('vars', CreateVariable).optional(),
})
export type UpdateVariableSet = z.output<typeof UpdateVariableSet>

export const CreateVariableSet = UpdateVariableSet.extend({ name, parent: toOneOf(['organizations', 'projects']).nullish() })
export type CreateVariableSet = z.output<typeof CreateVariableSet>

export const ListVariableSetsQuery = z.object({ q: z.string().max(255).optional() })
