import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { makeApiClient } from './api-client.ts'
import { type Exchange, type RecordingProxy, startRecordingProxy } from './recording-proxy.ts'
import { type ServerOptions, type TestServer, serverOfFile } from './terrane-server.ts'

export type RecordedServer = TestServer & {
  /** What clients that know the server by `hostname` asked since the last call, in order; of the test's own `api` the signed URLs. */
  taken(): Exchange[]
}

/**
 * One server for all tests of a file, behind a proxy that ends TLS and writes down what passes. Its `cliConfigFile` holds the token and
 * nothing else, so that terraform begins with the discovery of services.
 */
export const recordedServerOfFile = (options: Omit<ServerOptions, 'args' | 'isTls'> & { args?: string[] } = {}): (() => RecordedServer) => {
  let proxy: RecordingProxy
  let recorded: RecordedServer | undefined
  beforeAll(async () => {
    proxy = await startRecordingProxy()
  })
  afterAll(() => proxy.close())
  const server = serverOfFile({
    ...options,
    get args() {
      return ['--public-url', proxy.url, ...(options.args ?? [])]
    },
  })
  beforeAll(async () => {
    const behind = server()
    proxy.to(behind.url)
    const [cliConfigFile, caFile] = [join(behind.directory, 'credentials.tfrc'), join(behind.directory, 'proxy-ca.pem')]
    await writeFile(cliConfigFile, `credentials "${proxy.host}" {\n  token = "${behind.adminToken}"\n}\n`)
    await writeFile(caFile, proxy.caPem)
    recorded = {
      ...behind,
      hostname: proxy.host,
      cliConfigFile,
      caFile,
      api: makeApiClient({ url: behind.url, token: behind.adminToken, caPem: proxy.caPem }),
      taken: () => proxy.exchanges.splice(0),
    }
  })
  return () => {
    if (recorded === undefined) throw new Error('the server of this file is not there yet')
    return recorded
  }
}
