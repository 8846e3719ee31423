import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** The network between clients and a server on loopback, which fails when told to. Removed after the running test. */
export type CuttingProxy = {
  url: string
  to(serverUrl: string): void
  /** Ends every connection, and refuses new ones. */
  cut(): void
  /** Holds everything back, as a network does that loses all packets. */
  stall(): void
  mend(): void
  /** Connections that were refused. */
  refused(): number
  /** What is held back, as it begins: a request line, or the status line of an answer. */
  held(): string[]
}

export const startCuttingProxy = async (): Promise<CuttingProxy> => {
  const open = new Set<Socket>()
  const held = new Map<() => void, string>()
  let port = 0
  let state: 'well' | 'cut' | 'stalled' = 'well'
  let refused = 0

  const pass = (from: Socket, into: Socket): void => {
    open.add(from)
    from.on('error', () => undefined)
    from.once('close', () => {
      open.delete(from)
      into.destroy()
    })
    from.on('data', (data) => {
      const send = (): void => void into.write(data)
      if (state === 'stalled') held.set(send, data.toString('latin1').split('\r\n')[0] ?? '')
      else send()
    })
  }
  const server = createServer((client) => {
    if (state === 'cut') {
      refused += 1
      client.resetAndDestroy()
      return
    }
    const upstream = connect(port, '127.0.0.1')
    pass(client, upstream)
    pass(upstream, client)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const cut = (): void => {
    state = 'cut'
    for (const socket of open) socket.resetAndDestroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to: (serverUrl) => {
      port = Number(new URL(serverUrl).port)
    },
    cut,
    stall: () => {
      state = 'stalled'
    },
    mend: () => {
      state = 'well'
      for (const send of held.keys()) send()
      held.clear()
    },
    refused: () => refused,
    held: () => [...held.values()],
  }
}
