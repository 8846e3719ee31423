import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { json } from './reply.ts'

/** Services and their paths below the base URL. */
export const discoveryServices = { 'tfe.v2': '/api/v2/', 'tfe.v2.1': '/api/v2/', 'tfe.v2.2': '/api/v2/', 'state.v2': '/api/v2/' }

/** How `terraform login` gets a token, with addresses below `base`. Terraform listens on a port in the range, never on the last one. */
export const loginService = (base: string) => ({
  client: 'terraform-cli',
  grant_types: ['authz_code'],
  authz: `${base}/oauth/authorize`,
  token: `${base}/oauth/token`,
  ports: [10_000, 10_010] as [number, number],
})

/** Service discovery of the Terraform CLI. It wants 200 and application/json even when it sends a token we do not know. */
export const discoveryEndpoint = endpoint({
  method: 'GET',
  path: '/.well-known/terraform.json',
  auth: 'public',
  status: 200,
  answer: { json: z.looseObject({ 'tfe.v2': z.string(), 'state.v2': z.string() }) },
  handle: async () => json({ ...discoveryServices, 'login.v1': loginService('') }),
})
