import { z } from 'zod'
import { toOne } from '../api/index.ts'

const MD5 = /^[0-9a-f]{32}$/i

export const CreateStateVersion = z.object({
  serial: z.int().min(0),
  /** Of the raw state, hex. */
  md5: z
    .string()
    .regex(MD5, { error: 'Md5 must be 32 hexadecimal digits' })
    .transform((md5) => md5.toLowerCase()),
  lineage: z
    .string()
    .max(200)
    .regex(/^\P{C}*$/u)
    .nullish(),
  /** Base64, all three. */
  state: z.string().nullish(),
  jsonState: z.string().nullish(),
  jsonStateOutputs: z.string().nullish(),
  force: z.boolean().nullish(),
  run: toOne('runs').nullish(),
})
export type CreateStateVersion = z.output<typeof CreateStateVersion>

export const RollBack = z.object({ rollbackStateVersion: toOne('state-versions') })

const required = (name: string) => z.string({ error: `${name} is required` }).min(1, { error: `${name} is required` })

const statuses = ['pending', 'finalized', 'discarded', 'backing_data_soft_deleted', 'backing_data_permanently_deleted'] as const

const Statuses = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(statuses, { error: `filter[status] must be one of ${statuses.join(', ')}` })))
  .optional()

export const ListQuery = z.object({
  'filter[workspace][name]': required('filter[workspace][name]'),
  'filter[organization][name]': required('filter[organization][name]'),
  'filter[status]': Statuses,
})

export const WorkspaceListQuery = z.object({ 'filter[status]': Statuses })
