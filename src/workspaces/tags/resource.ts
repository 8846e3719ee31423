import { z } from 'zod'
import { type Resource, resourceType } from '../../api/index.ts'
import { effectiveTagBindingResource, inheritedTagBindingResource } from '../../organizations/index.ts'
import type { Tag } from './queries.ts'
import type { EffectiveBinding } from './effective-bindings.ts'

export const tagType = resourceType('tags', { attributes: z.object({ name: z.string() }) })

export const tagResource = ({ id, name }: Tag): Resource => tagType.of({ id, attributes: { name } })

/** Of a workspace: with links when it is inherited. */
export const effectiveBindingResource = (binding: EffectiveBinding): Resource =>
  'projectId' in binding ? inheritedTagBindingResource(binding) : effectiveTagBindingResource(binding)
