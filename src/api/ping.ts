import { endpoint } from './endpoint.ts'
import { empty } from './reply.ts'

/** Clients read only the headers of the answer, which every answer has. */
export const pingEndpoint = endpoint({ method: 'GET', path: 'ping', auth: 'public', status: 204, handle: async () => empty() })
