import type { RelationType, ResourceSchema } from '../jsonapi/resource-type.ts'
import { type Json, arrayOf, jsonSchemaOf, nullable, objectOf } from './json-schema.ts'

/** The schema of one form of a type: `#/components/schemas/{schemaName}`. Relationships that may be left out are not required. */
export const resourceSchemaOf = ({ name, attributes, relationships }: ResourceSchema): Json => {
  const related = Object.entries(relationships).map(([relation, type]) => [relation, relationshipOf(type)] as const)
  return objectOf(
    {
      type: { const: name },
      id: { type: 'string' },
      attributes: jsonSchemaOf(attributes, { io: 'output' }),
      relationships: { type: 'object', properties: Object.fromEntries(related) },
      links: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
    },
    ['relationships', 'links'],
  )
}

const linkage = (types: string | readonly string[]): Json =>
  objectOf({ type: typeof types === 'string' ? { const: types } : { enum: types }, id: { type: 'string' } })

const relationshipOf = (type: RelationType): Json => {
  const links = objectOf({ related: { type: 'string' } })
  if (type === 'link') return objectOf({ links })
  const data = 'many' in type ? arrayOf(linkage(type.many)) : nullable(linkage(type.one))
  return objectOf({ data, links }, ['data', 'links'])
}

export type TypesByName = ReadonlyMap<string, ResourceSchema>

/** What may be in `included`: the types at the end and on the way of the paths, as far as there is something of them to read. */
export const embeddedTypes = (from: ResourceSchema, paths: readonly string[], types: TypesByName): ResourceSchema[] => {
  const found = new Set<ResourceSchema>()
  const follow = (type: ResourceSchema, [relation, ...rest]: readonly string[]): void => {
    if (relation === undefined) return
    for (const target of targetsOf(type.relationships[relation])) {
      const next = types.get(target)
      if (next === undefined) continue
      found.add(next)
      follow(next, rest)
    }
  }
  for (const path of paths) follow(from, path.split('.'))
  return [...found]
}

const targetsOf = (type: RelationType | undefined): readonly string[] => {
  if (type === undefined || type === 'link') return []
  const targets = 'many' in type ? type.many : type.one
  return typeof targets === 'string' ? [targets] : targets
}
