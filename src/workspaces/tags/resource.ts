import { type Resource, resource } from '../../api/index.ts'
import type { TagBinding } from '../workspace.ts'
import type { Tag } from './queries.ts'

export const tagResource = ({ id, name }: Tag): Resource => resource({ type: 'tags', id, attributes: { name } })

export const tagBindingResource = ({ id, key, value }: TagBinding): Resource =>
  resource({ type: 'tag-bindings', id, attributes: { key, value } })

/** No `links`: a client takes their presence for "inherited". */
export const effectiveTagBindingResource = ({ id, key, value }: TagBinding): Resource =>
  resource({ type: 'effective-tag-bindings', id, attributes: { key, value } })
