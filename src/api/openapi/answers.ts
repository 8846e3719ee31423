import type { Answer } from '../answer.ts'
import type { Endpoint } from '../endpoint.ts'
import type { ResourceSchema } from '../jsonapi/resource-type.ts'
import { JSON_API } from '../jsonapi/serialize.ts'
import { type Json, arrayOf, jsonSchemaOf, nullable, objectOf, ref } from './json-schema.ts'
import { type TypesByName, embeddedTypes } from './resource-schemas.ts'

/** The response object of an answer. */
export const responseOf = (answer: Answer, { include }: Endpoint, types: TypesByName): Json => {
  if (answer === 'empty') return { description: 'Done; no content' }
  if (answer === 'redirect') return { description: 'Where it is', headers: { location: { required: true, schema: { type: 'string' } } } }
  if ('bytes' in answer) return { description: 'The content', content: { [answer.bytes]: {} } }
  if ('json' in answer)
    return { description: 'The content', content: { 'application/json': { schema: jsonSchemaOf(answer.json, { io: 'output' }) } } }
  return { description: 'JSON:API document', content: { [JSON_API]: { schema: documentOf(answer, include, types) } } }
}

type DocumentAnswer = Extract<Answer, { one: unknown } | { many: unknown } | { paged: unknown }>

const documentOf = (answer: DocumentAnswer, include: readonly string[], types: TypesByName): Json => {
  const forms = formsIn(answer)
  const data = forms.length === 1 ? ref(forms[0]!.schemaName) : { anyOf: forms.map(({ schemaName }) => ref(schemaName)) }
  const included = includedOf(forms, include, types)
  if ('one' in answer) return objectOf({ data, ...included }, ['included'])
  const list = { data: arrayOf(data), ...included }
  if ('paged' in answer) {
    const meta = answer.meta === undefined ? {} : jsonSchemaOf(answer.meta, { io: 'output' }).properties
    return objectOf({ ...list, ...pages(meta) }, ['included'])
  }
  return answer.isPagedWhenAsked ? objectOf({ ...list, ...pages() }, ['included', 'links', 'meta']) : objectOf(list, ['included'])
}

/** The forms of resources that an answer is made of. */
export const formsIn = (answer: Answer): readonly ResourceSchema[] => {
  if (typeof answer === 'string' || 'bytes' in answer || 'json' in answer) return []
  const forms = 'one' in answer ? answer.one : 'many' in answer ? answer.many : answer.paged
  return 'schemaName' in forms ? [forms] : forms
}

const includedOf = (from: readonly ResourceSchema[], include: readonly string[], types: TypesByName): Record<string, Json> => {
  const embedded = new Set(from.flatMap((form) => embeddedTypes(form, include, types)))
  return embedded.size === 0 ? {} : { included: arrayOf({ anyOf: [...embedded].map(({ schemaName }) => ref(schemaName)) }) }
}

const pages = (meta: Record<string, Json> = {}): Record<string, Json> => ({
  links: ref('page-links'),
  meta: objectOf({ ...meta, pagination: ref('pagination') }),
})

const whole: Json = { type: 'integer' }
const address: Json = { type: 'string' }

/** Schemas that many responses share. Lists whose length nobody counts have no last page. */
export const sharedSchemas: Record<string, Json> = {
  'page-links': objectOf({ self: address, first: address, prev: nullable(address), next: nullable(address), last: address }, [
    'first',
    'last',
  ]),
  pagination: objectOf(
    {
      'current-page': whole,
      'page-size': whole,
      'prev-page': nullable(whole),
      'next-page': nullable(whole),
      'total-pages': whole,
      'total-count': whole,
    },
    ['total-pages', 'total-count'],
  ),
  errors: objectOf({
    errors: arrayOf(
      objectOf(
        {
          status: { type: 'string' },
          title: { type: 'string' },
          detail: { type: 'string' },
          source: objectOf({ pointer: { type: 'string' }, parameter: { type: 'string' } }, ['pointer', 'parameter']),
        },
        ['detail', 'source'],
      ),
    ),
  }),
}

export const errorResponse: Json = { description: 'JSON:API error document', content: { [JSON_API]: { schema: ref('errors') } } }
