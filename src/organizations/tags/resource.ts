import { z } from 'zod'
import { type Resource, resourceType } from '../../api/index.ts'

const keyAndValue = z.object({ key: z.string(), value: z.string() })

export const tagBindingType = resourceType('tag-bindings', { attributes: keyAndValue })
export const effectiveTagBindingType = resourceType('effective-tag-bindings', { attributes: keyAndValue })

type Binding = { id: string; key: string; value: string }

/** Of a project or a workspace. */
export const tagBindingResource = ({ id, key, value }: Binding): Resource => tagBindingType.of({ id, attributes: { key, value } })

/** Its own. No `links`: a client takes their presence for "inherited". */
export const effectiveTagBindingResource = ({ id, key, value }: Binding): Resource =>
  effectiveTagBindingType.of({ id, attributes: { key, value } })

/** Id of a project's binding where a workspace inherits it: there it is another resource, with links. */
export const inheritedIdOf = (id: string): string => id.replace(/^tb-/, '')

/** The other way round. */
export const bindingOfInherited = (id: string): string => `tb-${id}`

export const inheritedTagBindingResource = ({ id, key, value, projectId }: Binding & { projectId: string }): Resource =>
  effectiveTagBindingType.of({
    id: inheritedIdOf(id),
    attributes: { key, value },
    links: { 'inherited-from': `/api/v2/projects/${projectId}` },
  })
