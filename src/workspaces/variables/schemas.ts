import { z } from 'zod'

const MAX_VALUE_LENGTH = 262_144

const attributes = {
  value: z.string().max(MAX_VALUE_LENGTH).nullish(),
  description: z.string().max(512).nullish(),
  hcl: z.boolean().nullish(),
  sensitive: z.boolean().nullish(),
}

const category = z.enum(['terraform', 'env'], { error: 'Category must be terraform or env' })

export const CreateVariable = z.object({ ...attributes, key: z.string(), category })
export const UpdateVariable = z.object({ ...attributes, key: z.string().nullish(), category: category.nullish() })

export type NewVariable = z.output<typeof CreateVariable>
export type VariableUpdate = z.output<typeof UpdateVariable>
