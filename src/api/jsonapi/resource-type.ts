import type { z } from 'zod'
import { type Relationship, type Resource, resource } from './resource.ts'

/** What a relationship leads to: one resource or none, many, or only an address where they are read. */
export type RelationType = { one: string | readonly string[] } | { many: string } | 'link'

type Relations = Readonly<Record<string, RelationType>>

/** What the OpenAPI document says of a type. */
export type ResourceSchema = {
  /** The `type` member. */
  name: string
  /** Its name in the document; differs from `name` where one type has several forms. */
  schemaName: string
  attributes: z.ZodObject
  relationships: Relations
}

export type ResourceType<A extends z.ZodObject = z.ZodObject, R extends Relations = Relations> = ResourceSchema & {
  /** Builds a resource of this type; relationships given as `undefined` are left out. */
  of(from: {
    id: string
    attributes: z.output<A>
    relationships?: { [Name in keyof R]: Relationship | undefined }
    links?: Resource['links']
  }): Resource
}

type Definition<A, R> = {
  /** Wire names. `z.date()` for times, `z.unknown()` for what is sent as it is, `.optional()` for what may be left out. */
  attributes: A
  relationships?: R
  schemaName?: string
}

/** Declares what resources of a type look like: the form that their presenter must build and that the OpenAPI document shows. */
export const resourceType = <A extends z.ZodObject, const R extends Relations>(
  name: string,
  { attributes, relationships, schemaName = name }: Definition<A, R>,
): ResourceType<A, R> => ({
  name,
  schemaName,
  attributes,
  relationships: relationships ?? {},
  // safe because attributes declared as unknown are given as JSON values
  of: (from) => resource({ type: name, ...from } as Parameters<typeof resource>[0]),
})
