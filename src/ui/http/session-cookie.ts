import { parse, serialize } from 'hono/utils/cookie'

export type SessionCookie = {
  read(header: string | undefined): string | undefined
  write(secret: string, expiresAt: Date): string
  clear(): string
}

/** Under TLS the `__Host-` prefix keeps other hosts and paths out. Browsers send cookies to every port of a host, so else the name has the port. */
export const makeSessionCookie = (publicUrl: string): SessionCookie => {
  const { protocol, port } = new URL(publicUrl)
  const secure = protocol === 'https:'
  const name = secure ? '__Host-terrane_session' : `terrane_session_${port || '80'}`
  const common = { path: '/', httpOnly: true, sameSite: 'Lax', secure } as const
  return {
    read: (header) => (header === undefined ? undefined : parse(header, name)[name]),
    write: (secret, expires) => serialize(name, secret, { ...common, expires }),
    clear: () => serialize(name, '', { ...common, maxAge: 0 }),
  }
}
