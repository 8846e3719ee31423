import { z } from 'zod'

const username = z
  .string()
  .max(60)
  .regex(/^[\w.-]+$/, { error: 'Username may only contain letters, numbers, dots, dashes and underscores' })
const email = z
  .string()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, { error: 'Email is invalid' })

export const CreateUser = z.object({ username, email, isSiteAdmin: z.boolean().optional() })
export type CreateUser = z.output<typeof CreateUser>

export const UpdateUser = z.object({ username: username.optional(), email: email.optional() })
export type UpdateUser = z.output<typeof UpdateUser>

/** `expiredAt` as RFC 3339. */
export const CreateToken = z.object({
  description: z.string().max(1000).nullish(),
  expiredAt: z.iso
    .datetime({ offset: true, error: 'Expired at must be a time such as 2030-01-31T12:00:00Z' })
    .transform((text) => new Date(text))
    .nullish(),
})
export type CreateToken = z.output<typeof CreateToken>

export const FinishSetup = z.object({
  username: username.min(1, { error: 'Choose a user name' }),
  password: z
    .string()
    .min(12, { error: 'The password needs at least 12 characters' })
    .max(200, { error: 'The password has more than 200 characters' }),
})
export type FinishSetup = z.output<typeof FinishSetup>
