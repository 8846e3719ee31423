import { z } from 'zod'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { ResourceSchema } from '../jsonapi/resource-type.ts'
import { json } from '../reply.ts'
import type { Json } from './json-schema.ts'
import { makeOpenApi } from './make-open-api.ts'

/** Serves the document of `endpoints` and of itself, made when it is first asked for. */
export const openApiEndpoint = (endpoints: readonly Endpoint[], embedded: readonly ResourceSchema[] = []): Endpoint => {
  let document: Json | undefined
  const own: Endpoint = endpoint({
    method: 'GET',
    path: '/api/openapi.json',
    auth: 'public',
    status: 200,
    answer: { json: z.looseObject({ openapi: z.string() }) },
    handle: async () => json((document ??= makeOpenApi([...endpoints, own], embedded))),
  })
  return own
}
