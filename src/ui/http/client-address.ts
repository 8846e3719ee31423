import type { Context } from 'hono'

/** What the Node.js adapter passes along; absent in tests without sockets. */
type Bindings = { incoming?: { socket?: { remoteAddress?: string } } } | undefined

/** Address of the client. Behind a proxy it is what the proxy saw: the last hop that it added. */
export const clientAddress = (c: Context, isBehindProxy: boolean): string => {
  const forwarded = isBehindProxy ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
  // safe because every member of the type is optional
  return forwarded || (c.env as Bindings)?.incoming?.socket?.remoteAddress || 'unknown'
}
