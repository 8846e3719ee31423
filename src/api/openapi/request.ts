import type { Body } from '../body.ts'
import type { Endpoint } from '../endpoint.ts'
import { JSON_API } from '../jsonapi/serialize.ts'
import { kebab } from '../wire-keys.ts'
import { type Json, type ObjectSchema, jsonSchemaOf } from './json-schema.ts'

export const parametersOf = ({ path, query, include }: Endpoint): Json[] => [
  ...[...path.matchAll(/:([^/]+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
  ...queryParameters(query),
  ...(include.length === 0 ? [] : [includeParameter(include)]),
]

const queryParameters = (query: Endpoint['query']): Json[] => {
  if (query === undefined) return []
  const { properties = {}, required = [] } = jsonSchemaOf(query, { io: 'input' })
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
}

const includeParameter = (include: readonly string[]): Json => ({
  name: 'include',
  in: 'query',
  required: false,
  description: `Comma list of: ${include.join(', ')}`,
  schema: { type: 'string' },
})

/** Lists that are always given in pages take these. */
export const pageParameters: readonly Json[] = [
  { name: 'page[number]', in: 'query', required: false, schema: { type: 'integer', minimum: 1, default: 1 } },
  { name: 'page[size]', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
]

export const requestBodyOf = (body: Body<unknown>): Json => {
  if (body.schema === undefined) return { required: true, content: { 'application/octet-stream': {} } }
  const schema = jsonSchemaOf(body.schema, { io: 'input', nameOf: kebab })
  return { content: { [JSON_API]: { schema: body.kind === 'plain-json' ? schema : envelope(body, schema) } } }
}

const envelope = (body: Body<unknown>, schema: ObjectSchema): Json => {
  const data = body.kind === 'linkage' ? schema : resourceDocument(body.type, schema)
  return { type: 'object', required: ['data'], properties: { data } }
}

/** Splits what `jsonApi` declares side by side into attributes and relationships. */
const resourceDocument = (type: string | undefined, { properties = {}, required = [] }: ObjectSchema): Json => {
  const attributes: Record<string, Json> = {}
  const relationships: Record<string, Json> = {}
  for (const [name, schema] of Object.entries(properties)) {
    if (isRelation(schema)) relationships[name] = { type: 'object', properties: { data: schema } }
    else if (!isTypeMember(type, name)) attributes[name] = schema
  }
  return {
    type: 'object',
    properties: {
      type: type === undefined ? (properties.type ?? { type: 'string' }) : { const: type },
      attributes: { type: 'object', properties: attributes, required: required.filter((name) => name in attributes) },
      relationships: { type: 'object', properties: relationships, required: required.filter((name) => name in relationships) },
    },
  }
}

/** Bodies of several types have `type` as a member. */
const isTypeMember = (type: string | undefined, name: string): boolean => type === undefined && name === 'type'

const isRelation = (schema: Json): boolean =>
  schema.relationship === true || (Array.isArray(schema.anyOf) && schema.anyOf.some((option: Json) => option.relationship === true))
