import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Answers ping, and one page of organizations to whoever has the token; what the command line asks of a server. */
export const startTinyServer = async ({ token, organizations }: { token: string; organizations: string[] }) => {
  const server = createServer((request, response) => {
    if (request.url === '/api/v2/ping') return response.writeHead(204).end()
    if (request.headers.authorization !== `Bearer ${token}`) return response.writeHead(401).end('{}')
    if (request.url !== '/api/v2/organizations') return response.writeHead(404).end('{}')
    return response.end(JSON.stringify({ data: organizations.map((id) => ({ id, type: 'organizations' })) }))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
