import type { z } from 'zod'
import { isRecord } from './read-json.ts'

/** `terraformVersion` → `terraform-version`. */
export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

type Schema = z.core.$ZodTypes
type Rename = (value: unknown) => unknown

export type WireKeys = {
  /** Copies the declared members under their camelCase names; a kebab-case spelling wins over a snake_case one. Others are dropped. */
  rename: Rename
  /** A path of camelCase names as the caller knows it. Keys of free maps are left as they are. */
  wirePath(path: readonly PropertyKey[]): string[]
}

/** What is inside `.optional()`, `.nullable()`, `.default()`, `.transform()` and the like. */
export const unwrap = (schema: z.core.$ZodType): Schema => {
  const known = schema as Schema
  const def = known._zod.def
  if ('innerType' in def) return unwrap(def.innerType)
  if (def.type === 'pipe') return unwrap(def.in)
  return known
}

/** Members of an object schema, after unwrapping; undefined for other schemas. */
export const shapeOf = (schema: z.core.$ZodType): Record<string, z.core.$ZodType> | undefined => {
  const def = unwrap(schema)._zod.def
  return def.type === 'object' ? def.shape : undefined
}

/** Own member by its wire names. Only own members are looked at, so `__proto__` is never followed. */
export const pick = (from: Record<string, unknown>, name: string): unknown => {
  const dashed = kebab(name)
  if (Object.hasOwn(from, dashed)) return from[dashed]
  const snake = dashed.replaceAll('-', '_')
  return Object.hasOwn(from, snake) ? from[snake] : undefined
}

/** Prepared once per schema: the schema names members in camelCase, the wire in kebab-case (or snake_case). */
export const wireKeys = (schema: z.ZodType): WireKeys => {
  const names = new Map<PropertyKey, string>()
  const rename = compile(schema, names)
  return { rename, wirePath: (path) => path.map((part) => names.get(part) ?? String(part)) }
}

const compile = (schema: z.core.$ZodType, names: Map<PropertyKey, string>): Rename => {
  const inner = unwrap(schema)
  const def = inner._zod.def
  if (def.type === 'array') {
    const element = compile(def.element, names)
    return (value) => (Array.isArray(value) ? value.map(element) : value)
  }
  if (def.type === 'union' && def.options.some((option) => shapeOf(option) !== undefined)) {
    throw new Error('a union of objects has no single set of names: declare one object with optional members')
  }
  if (def.type !== 'object') return same

  const members = Object.entries(def.shape).map(([name, member]) => {
    names.set(name, kebab(name))
    return { name, rename: compile(member, names) }
  })
  return (value) => {
    if (!isRecord(value)) return value
    const out: Record<string, unknown> = {}
    for (const { name, rename } of members) {
      const member = pick(value, name)
      if (member !== undefined) out[name] = rename(member)
    }
    return out
  }
}

const same: Rename = (value) => value
