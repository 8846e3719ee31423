import { isIP } from 'node:net'
import { z } from 'zod'

/** `host` without brackets. */
export type ListenAddress = { host: string; port: number }

/** `127.0.0.1:8080`, `[::1]:8080` or `name:8080`. */
export const listenAddress = z.string().transform((text, ctx): ListenAddress => {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  if (host === undefined || (bracketed !== undefined && isIP(bracketed) !== 6) || port < 1 || port > 65_535) {
    ctx.issues.push({ code: 'custom', message: 'is HOST:PORT with a port from 1 to 65535', input: text })
    return z.NEVER
  }
  return { host, port }
})

/** Whether only this machine reaches `host`, an address or `localhost`. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
