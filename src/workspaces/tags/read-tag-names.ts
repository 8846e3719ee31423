import { checkTagKey, type WantedBinding } from '../../organizations/index.ts'

/** Flat tags as clients send them, as bindings without value. Throws INVALID. */
export const readTagNames = (tags: readonly { attributes?: { name?: string | undefined } | undefined }[]): WantedBinding[] =>
  tags.map(({ attributes }) => ({ key: checkTagKey(attributes?.name, 'Name', 255) }))
