import { z } from 'zod'
import { type Resource, resourceType } from '../../api/index.ts'
import type { TagBinding } from '../workspace.ts'
import type { Tag } from './queries.ts'

const keyAndValue = z.object({ key: z.string(), value: z.string() })

export const tagType = resourceType('tags', { attributes: z.object({ name: z.string() }) })
export const tagBindingType = resourceType('tag-bindings', { attributes: keyAndValue })
export const effectiveTagBindingType = resourceType('effective-tag-bindings', { attributes: keyAndValue })

export const tagResource = ({ id, name }: Tag): Resource => tagType.of({ id, attributes: { name } })

export const tagBindingResource = ({ id, key, value }: TagBinding): Resource => tagBindingType.of({ id, attributes: { key, value } })

/** No `links`: a client takes their presence for "inherited". */
export const effectiveTagBindingResource = ({ id, key, value }: TagBinding): Resource =>
  effectiveTagBindingType.of({ id, attributes: { key, value } })
