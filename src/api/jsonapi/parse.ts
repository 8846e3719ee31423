import { z } from 'zod'
import { AppError } from '../../platform/errors.ts'
import type { Body } from '../body.ts'
import { JSON_BODY_MAX_BYTES, isRecord, readJson } from '../read-json.ts'
import { kebab, pick, shapeOf, unwrap, wireKeys } from '../wire-keys.ts'
import { parseWith } from './invalid.ts'

/** Clients send `""` where they have no type; anything else must match. */
const typed = (types: readonly string[]) =>
  z.string().refine((type) => type === '' || types.includes(type), { error: `The type must be ${types.join(' or ')}` })

const relation = { relationship: true }

/** Member of a `jsonApi` schema read from `relationships`: the id. Add `.optional()` (may be absent) or `.nullish()` (may be null too). */
export const toOne = (type: string) =>
  z
    .object({ type: typed([type]).optional(), id: z.string().min(1) })
    .meta(relation)
    .transform(({ id }) => id)

/** The same for a relation of several types. */
export const toOneOf = <const T extends string>(types: readonly T[]) =>
  z.object({ type: z.enum(types), id: z.string().min(1) }).meta(relation)

/** The ids of a to-many relationship. `[]` empties it, absent (with `.optional()`) leaves it alone. */
export const toMany = (type: string) => z.array(toOne(type)).meta(relation)

/** To-many relationship whose members may come without id, as attributes: tags, tag bindings. Each has `id`, `attributes` or both. */
export const toManyNew = <S extends z.ZodObject>(type: string, attributes: S) =>
  z
    .array(
      z
        .object({ type: typed([type]).optional(), id: z.string().min(1).optional(), attributes: attributes.optional() })
        .refine((member) => member.id !== undefined || member.attributes !== undefined, {
          error: `Each of the ${type} needs an id or attributes`,
        })
        .transform((member) => ({ id: member.id, attributes: member.attributes })),
    )
    .meta(relation)

const isRelation = (schema: z.core.$ZodType): boolean => z.globalRegistry.get(unwrap(schema))?.relationship === true

type Options = {
  /** The expected `data.type`; absent and `""` are accepted as well. */
  type?: string
  /** Several types are taken: `data.type` arrives as the member `type`, for the schema to check. */
  types?: readonly string[]
  /** Nothing at all, or no `data`, is read as no attributes. Otherwise it is a 422. */
  optional?: boolean
  /** Limit of the whole body; default 10 MiB. */
  maxBytes?: number
}

/**
 * A resource document as one object: attributes and relationships (declared by `toOne` and its kin) side by side, in camelCase.
 * On the wire names are kebab-case or snake_case. Unknown members and `data.id` are ignored. `null` arrives as null, absent as undefined.
 */
export const jsonApi = <S extends z.ZodType>(schema: S, options: Options = {}): Body<z.output<S>> => {
  const shape = shapeOf(schema)
  if (shape === undefined) throw new Error('jsonApi needs an object schema')
  const keys = wireKeys(schema)
  const relations = Object.keys(shape).filter((name) => isRelation(shape[name] as z.core.$ZodType))
  const isRelationName = new Set<PropertyKey>(relations)

  const sourceOf = (path: readonly PropertyKey[]) => {
    const [first = '', ...rest] = keys.wirePath(path)
    const where = isRelationName.has(path[0] ?? '') ? ['/data/relationships', first, 'data', ...rest] : ['/data/attributes', first, ...rest]
    return { pointer: where.join('/') }
  }

  return {
    kind: 'json-api',
    type: options.type,
    schema,
    read: async (source) => {
      const document = await readJson(source, options.maxBytes ?? JSON_BODY_MAX_BYTES)
      const data = options.optional && noData(document) ? {} : dataOf(document)
      if (!isRecord(data)) throw refused('The data must be one resource object.', '/data')
      if (options.type !== undefined) checkType(data.type, options.type)
      const attributes = objectAt(data, 'attributes')
      const linked = objectAt(data, 'relationships')
      const members: Record<string, unknown> = options.types === undefined ? { ...attributes } : { ...attributes, type: data.type }
      for (const name of relations) members[kebab(name)] = linkageAt(linked, name)
      return parseWith(schema, keys.rename(members), sourceOf)
    },
  }
}

/** A body whose `data` is linkage, a list or a single one: its ids. */
export function linkage(type: string): Body<string[]>
/** The same where members may come without id, as attributes. */
export function linkage<S extends z.ZodObject>(type: string, attributes: S): Body<{ id?: string; attributes?: z.output<S> }[]>
export function linkage(type: string, attributes?: z.ZodObject): Body<unknown[]> {
  const schema: z.ZodType<unknown[]> = attributes === undefined ? toMany(type) : toManyNew(type, attributes)
  const keys = wireKeys(schema)
  return {
    kind: 'linkage',
    type,
    schema,
    read: async (source) => {
      const data = dataOf(await readJson(source, JSON_BODY_MAX_BYTES))
      const entries = Array.isArray(data) ? data : [data]
      return parseWith(schema, keys.rename(entries), (path) => ({ pointer: ['/data', ...keys.wirePath(path)].join('/') }))
    },
  }
}

const refused = (detail: string, pointer: string) => new AppError('INVALID', detail, { source: { pointer } })

const noData = (document: unknown): boolean => document === undefined || (isRecord(document) && document.data === undefined)

const dataOf = (document: unknown): unknown => {
  if (!isRecord(document) || document.data === undefined || document.data === null) {
    throw new AppError('INVALID', 'The body must be a JSON:API document with a "data" member.', {
      title: 'invalid document',
      source: { pointer: '/data' },
    })
  }
  return document.data
}

const checkType = (type: unknown, expected: string): void => {
  if (type !== undefined && type !== '' && type !== expected) throw refused(`The type must be ${expected}.`, '/data/type')
}

const objectAt = (data: Record<string, unknown>, name: 'attributes' | 'relationships'): Record<string, unknown> => {
  const value = data[name] ?? {}
  if (!isRecord(value)) throw refused(`The ${name} must be an object.`, `/data/${name}`)
  return value
}

const linkageAt = (linked: Record<string, unknown>, name: string): unknown => {
  const relationship = pick(linked, name)
  if (relationship === undefined || relationship === null) return undefined
  if (!isRecord(relationship)) throw refused('A relationship must be an object with a "data" member.', `/data/relationships/${kebab(name)}`)
  return relationship.data
}
