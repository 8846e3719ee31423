import type { WantedBinding } from './decide-bindings.ts'
import { checkTagKey, checkTagValue } from './tag-rules.ts'

type SentBinding = { attributes?: { key?: string | undefined; value?: string | null | undefined } | undefined }

/** Key/value tags as clients send them. Throws INVALID. */
export const readBindings = (bindings: readonly SentBinding[]): WantedBinding[] =>
  bindings.map(({ attributes }) => {
    const key = checkTagKey(attributes?.key, 'Key', 128)
    const value = attributes?.value ?? undefined
    return value === undefined ? { key } : { key, value: checkTagValue(value) }
  })
