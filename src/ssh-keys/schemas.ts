import { z } from 'zod'

const name = z.string().min(1).max(255)

/** What the key looks like is git's business: terraform takes whatever its ssh can read. */
export const CreateSshKey = z.object({ name, value: z.string().min(1).max(65_536) })
export type CreateSshKey = z.output<typeof CreateSshKey>

export const UpdateSshKey = z.object({ name: name.optional() })
export type UpdateSshKey = z.output<typeof UpdateSshKey>

/** Null takes the key away from the workspace. */
export const AssignSshKey = z.object({ id: z.string().nullable() })
