import { z } from 'zod'

export type Json = Record<string, unknown>
export type ObjectSchema = Json & { properties?: Record<string, Json>; required?: string[] }

export const ref = (schemaName: string): Json => ({ $ref: `#/components/schemas/${schemaName}` })

export const arrayOf = (items: Json): Json => ({ type: 'array', items })

/** All members are required unless `optional` names them. */
export const objectOf = (properties: Record<string, Json>, optional: readonly string[] = []): ObjectSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})

export const nullable = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] })

type Options = { io: 'input' | 'output'; nameOf?: (name: string) => string }

/**
 * JSON schema of a Zod schema: what goes in or comes out. Times are RFC 3339. `nameOf` renames the members of all objects. Objects are open: a
 * client must bear members that it does not know.
 */
export const jsonSchemaOf = (schema: z.ZodType, { io, nameOf = (name) => name }: Options): ObjectSchema => {
  const { $schema: _, ...found } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { type } = zodSchema._zod.def
      if (type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' })
      // The format says it; the pattern is the parser's.
      if (jsonSchema.format?.startsWith('date')) delete jsonSchema.pattern
      if (type !== 'object' || jsonSchema.properties === undefined) return
      jsonSchema.properties = Object.fromEntries(Object.entries(jsonSchema.properties).map(([name, value]) => [nameOf(name), value]))
      jsonSchema.required = jsonSchema.required?.map(nameOf)
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return found as ObjectSchema
}
