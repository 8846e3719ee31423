import { z } from 'zod'
import type { Body } from './body.ts'
import type { Endpoint } from './endpoint.ts'
import { JSON_API } from './jsonapi/serialize.ts'
import { kebab } from './wire-keys.ts'

type Json = Record<string, unknown>
type ObjectSchema = { properties?: Record<string, Json>; required?: string[] }

/** OpenAPI 3.1 document of the endpoints; signed URLs are left out, since nobody builds them by hand. */
export const makeOpenApi = (endpoints: readonly Endpoint[]): Json => {
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    if (endpoint.auth === 'signed') continue
    const path = endpoint.path.replaceAll(/:([^/]+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Terrane', version: '2.6' },
    paths,
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  }
}

const operation = (endpoint: Endpoint): Json => ({
  operationId: `${endpoint.method.toLowerCase()} ${endpoint.path}`,
  parameters: [...pathParameters(endpoint.path), ...queryParameters(endpoint)],
  ...(endpoint.body === undefined ? {} : { requestBody: requestBody(endpoint.body) }),
  responses: { [endpoint.status]: { description: 'success' }, default: { description: 'JSON:API error document' } },
  security: endpoint.auth === 'token' ? [{ token: [] }] : [],
})

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/:([^/]+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))

const queryParameters = ({ query, include }: Endpoint): Json[] => {
  const { properties = {}, required = [] } = query === undefined ? {} : objectSchema(query, (name) => name)
  const declared = Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
  if (include.length === 0) return declared
  const description = `Comma list of: ${include.join(', ')}`
  return [...declared, { name: 'include', in: 'query', required: false, description, schema: { type: 'string' } }]
}

const requestBody = (body: Body<unknown>): Json => {
  if (body.schema === undefined) return { content: { 'application/octet-stream': {} } }
  const schema = objectSchema(body.schema, kebab)
  return { content: { [JSON_API]: { schema: body.kind === 'plain-json' ? schema : envelope(body, schema) } } }
}

const envelope = (body: Body<unknown>, schema: ObjectSchema): Json => {
  const data = body.kind === 'linkage' ? schema : resourceSchema(body.type, schema)
  return { type: 'object', required: ['data'], properties: { data } }
}

/** Splits what `jsonApi` declares side by side into attributes and relationships. */
const resourceSchema = (type: string | undefined, { properties = {}, required = [] }: ObjectSchema): Json => {
  const attributes: Record<string, Json> = {}
  const relationships: Record<string, Json> = {}
  for (const [name, schema] of Object.entries(properties)) {
    if (isRelation(schema)) relationships[name] = { type: 'object', properties: { data: schema } }
    else attributes[name] = schema
  }
  return {
    type: 'object',
    properties: {
      type: type === undefined ? { type: 'string' } : { const: type },
      attributes: { type: 'object', properties: attributes, required: required.filter((name) => name in attributes) },
      relationships: { type: 'object', properties: relationships, required: required.filter((name) => name in relationships) },
    },
  }
}

const isRelation = (schema: Json): boolean =>
  schema.relationship === true || (Array.isArray(schema.anyOf) && schema.anyOf.some((option: Json) => option.relationship === true))

const objectSchema = (schema: z.ZodType, nameOf: (name: string) => string): ObjectSchema =>
  z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type !== 'object' || jsonSchema.properties === undefined) return
      jsonSchema.properties = Object.fromEntries(Object.entries(jsonSchema.properties).map(([name, value]) => [nameOf(name), value]))
      jsonSchema.required = jsonSchema.required?.map(nameOf)
    },
  }) as ObjectSchema
