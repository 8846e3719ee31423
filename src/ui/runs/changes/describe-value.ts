/** Where the value of the plan is not to be shown, or not known yet: true, or the same shape with true inside. */
export type Masks = { sensitive: unknown; unknown: unknown }

const SENSITIVE = '(sensitive value)'
const UNKNOWN = '(known after apply)'
/** What the runner leaves of a sensitive value in a place that has no mask. */
const REDACTED = /^REDACTED(?: \(changed\))?$/

/** A value as terraform would write it, what is sensitive or unknown replaced by words. */
export const describeValue = (value: unknown, masks: Masks, indent = ''): string => {
  if (masks.sensitive === true) return SENSITIVE
  if (masks.unknown === true) return UNKNOWN
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const length = Math.max(value.length, Array.isArray(masks.unknown) ? masks.unknown.length : 0)
    if (length === 0) return '[]'
    const items = Array.from({ length }, (_, index) => `${inner}${describeValue(value[index], at(masks, index), inner)},`)
    return `[\n${items.join('\n')}\n${indent}]`
  }
  if (isObject(value)) {
    const keys = [...new Set([...Object.keys(value), ...trueKeys(masks.unknown)])]
    if (keys.length === 0) return '{}'
    const items = keys.map((key) => `${inner}${name(key)} = ${describeValue(value[key], at(masks, key), inner)}`)
    return `{\n${items.join('\n')}\n${indent}}`
  }
  return scalar(value, indent)
}

/** The masks of a member. */
export const at = (masks: Masks, key: string | number): Masks => ({
  sensitive: member(masks.sensitive, key),
  unknown: member(masks.unknown, key),
})

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keys under which something is marked. */
export const trueKeys = (mask: unknown): string[] => (isObject(mask) ? Object.keys(mask).filter((key) => mask[key] !== false) : [])

const member = (mask: unknown, key: string | number): unknown => {
  if (mask === true) return true
  if (Array.isArray(mask)) return mask[Number(key)]
  return isObject(mask) && Object.hasOwn(mask, key) ? mask[String(key)] : undefined
}

const name = (key: string): string => (/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(key) ? key : JSON.stringify(key))

const scalar = (value: unknown, indent: string): string => {
  if (typeof value === 'string' && REDACTED.test(value)) return SENSITIVE
  if (typeof value !== 'string') return value === undefined ? 'null' : JSON.stringify(value)
  if (!value.trimEnd().includes('\n')) return JSON.stringify(value)
  const lines = value.replace(/\n$/, '').split('\n')
  return ['<<-EOT', ...lines.map((line) => `${indent}    ${line}`), `${indent}EOT`].join('\n')
}
