import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { waitFor } from './wait-for.ts'

/** A state that a configuration reads over HTTP, and that keeps it waiting: a plan that takes its time. Removed after the running test. */
export type SlowBackend = {
  configuration: string
  /** Resolves when a plan waits. */
  asked(times?: number): Promise<void>
  /** Answers those that wait, and all that come. */
  answer(): void
}

export const startSlowBackend = async (): Promise<SlowBackend> => {
  let asked = 0
  let isOpen = false
  const waiting: (() => void)[] = []
  const server = createServer((_request, response) => {
    asked += 1
    const state = JSON.stringify({ version: 4, terraform_version: '1.11.4', serial: 1, lineage: 'slow', outputs: {}, resources: [] })
    const answer = (): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(state)
    if (isOpen) answer()
    else waiting.push(answer)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    configuration: `data "terraform_remote_state" "slow" {\n  backend = "http"\n  config = {\n    address = "${address}"\n  }\n}\noutput "slow" {\n  value = keys(data.terraform_remote_state.slow.outputs)\n}\n`,
    asked: async (times = 1) => {
      await waitFor(() => asked >= times, { timeoutMs: 20_000, what: 'a plan to ask for the slow state' })
    },
    answer: () => {
      isOpen = true
      for (const answer of waiting.splice(0)) answer()
    },
  }
}
