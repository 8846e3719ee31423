import { endpoint } from './endpoint.ts'
import { json } from './reply.ts'

/** Services and their paths below the base URL. */
export const discoveryServices = { 'tfe.v2': '/api/v2/', 'tfe.v2.1': '/api/v2/', 'tfe.v2.2': '/api/v2/', 'state.v2': '/api/v2/' }

/** Service discovery of the Terraform CLI. It wants 200 and application/json even when it sends a token we do not know. */
export const discoveryEndpoint = endpoint({
  method: 'GET',
  path: '/.well-known/terraform.json',
  auth: 'public',
  status: 200,
  handle: async () => json(discoveryServices),
})
