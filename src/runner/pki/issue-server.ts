import type { Ca } from './ca.ts'
import { type Leaf, signLeaf } from './sign-leaf.ts'

/** Certificate of an HTTPS server under `dnsNames` and `ips`; for browsers and the terraform CLI, never for runners. */
export const issueServerCertificate = (ca: Ca, server: { dnsNames: string[]; ips: string[]; lifetimeMs: number }): Promise<Leaf> =>
  signLeaf(ca, {
    names: [
      ...server.dnsNames.map((value) => ({ type: 'dns', value }) as const),
      ...server.ips.map((value) => ({ type: 'ip', value }) as const),
    ],
    usage: 'server',
    lifetimeMs: server.lifetimeMs,
  })
