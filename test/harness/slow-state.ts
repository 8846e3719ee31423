import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export type SlowState = {
  /** A data source that reads it, `terraform_data.reader` behind it, and before it the resources of `after`. */
  configuration(after?: string[]): string
  requests(): number
  /** Answers the waiting requests and all later ones. */
  open(): void
}

/** A state for `terraform_remote_state` whose reader waits until it is let through. Terraform does not interrupt a read. */
export const startSlowState = async (): Promise<SlowState> => {
  const waiting: ServerResponse[] = []
  let requests = 0
  let isOpen = false
  const answer = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        version: 4,
        terraform_version: '1.11.4',
        serial: 1,
        lineage: 'slow',
        outputs: { x: { value: 'from afar', type: 'string' } },
        resources: [],
      }),
    )
  }
  const server = createServer((_request, response) => {
    requests += 1
    if (isOpen) answer(response)
    else waiting.push(response)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    configuration: (after = []) => `
data "terraform_remote_state" "slow" {
  backend = "http"
  config  = { address = "http://127.0.0.1:${(server.address() as AddressInfo).port}/state" }
  depends_on = [${after.join(', ')}]
}
resource "terraform_data" "reader" {
  input = data.terraform_remote_state.slow.outputs.x
}
`,
    requests: () => requests,
    open: () => {
      isOpen = true
      for (const response of waiting.splice(0)) answer(response)
    },
  }
}
