import type { Answer } from '../answer.ts'
import type { Endpoint } from '../endpoint.ts'
import type { ResourceSchema } from '../jsonapi/resource-type.ts'
import { errorResponse, formsIn, responseOf, sharedSchemas } from './answers.ts'
import type { Json } from './json-schema.ts'
import { pageParameters, parametersOf, requestBodyOf } from './request.ts'
import { type TypesByName, resourceSchemaOf } from './resource-schemas.ts'

/**
 * OpenAPI 3.1 document of the endpoints. `embedded`: types that no endpoint answers with, and that are in `included` only. The addresses of
 * signed endpoints are given by other answers; nobody builds them by hand.
 */
export const makeOpenApi = (endpoints: readonly Endpoint[], embedded: readonly ResourceSchema[] = []): Json => {
  const forms = [...endpoints.flatMap(({ answers }) => Object.values(answers).flatMap(formsIn)), ...embedded]
  const types: TypesByName = new Map(forms.filter(({ name, schemaName }) => name === schemaName).map((type) => [type.name, type]))
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:([^/]+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, types) }
  }
  const schemas = Object.fromEntries(forms.map((form) => [form.schemaName, resourceSchemaOf(form)]))
  return {
    openapi: '3.1.0',
    info: { title: 'Terrane', version: '2.6' },
    paths,
    components: { schemas: { ...sharedSchemas, ...schemas }, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  }
}

const operation = (endpoint: Endpoint, types: TypesByName): Json => {
  const answers = Object.entries(endpoint.answers)
  return {
    operationId: operationId(endpoint),
    parameters: [...parametersOf(endpoint), ...(answers.some(([, answer]) => hasPages(answer)) ? pageParameters : [])],
    ...(endpoint.body === undefined ? {} : { requestBody: requestBodyOf(endpoint.body) }),
    responses: {
      ...Object.fromEntries(answers.map(([status, answer]) => [status, responseOf(answer, endpoint, types)])),
      default: errorResponse,
    },
    security: endpoint.auth === 'token' ? [{ token: [] }] : [],
  }
}

const hasPages = (answer: Answer): boolean =>
  typeof answer === 'object' && ('paged' in answer || ('many' in answer && answer.isPagedWhenAsked === true))

/** `get-workspaces-by-id-vars`. */
const operationId = ({ method, path }: Endpoint): string =>
  [method.toLowerCase(), ...path.replace(/^\/(api\/v2\/)?/, '').split('/')].map((part) => part.replace(/^:/, 'by-')).join('-')
