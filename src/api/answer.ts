import type { z } from 'zod'
import type { ResourceSchema } from './jsonapi/resource-type.ts'

/** What an endpoint answers with, for the OpenAPI document; named like the replies. */
export type Answer =
  /** Several where the type depends on the case. */
  | { one: ResourceSchema | readonly ResourceSchema[] }
  /** A list that is whole, unless `isPagedWhenAsked`. */
  | { many: ResourceSchema; isPagedWhenAsked?: boolean }
  | { paged: ResourceSchema; meta?: z.ZodObject }
  /** Content type. */
  | { bytes: string }
  | { json: z.ZodType }
  | 'redirect'
  | 'empty'
