import { isIP } from 'node:net'
import { issueServerCertificate } from '../runner/pki/issue-server.ts'
import type { Ca } from '../runner/pki/ca.ts'
import type { ServerConfig } from './config.ts'

/** Made anew at each start, so it need not outlive a release; clients trust the authority, not the leaf. */
const LIFETIME_MS = 397 * 86_400_000

/** Certificate for `--tls self`: localhost, the loopback addresses, and the names of the public URL and the listen address. */
export const ownCertificate = async (
  ca: Ca,
  config: Pick<ServerConfig, 'publicUrl' | 'listen'>,
): Promise<{ certificatePem: string; privateKeyPem: string; caPem: string }> => {
  const names = new Set(['localhost', '127.0.0.1', '::1', new URL(config.publicUrl).hostname.replace(/^\[|\]$/g, ''), config.listen.host])
  names.delete('0.0.0.0')
  names.delete('::')
  const all = [...names]
  const { certificatePem, privateKeyPem } = await issueServerCertificate(ca, {
    dnsNames: all.filter((name) => isIP(name) === 0),
    ips: all.filter((name) => isIP(name) !== 0),
    lifetimeMs: LIFETIME_MS,
  })
  return { certificatePem, privateKeyPem, caPem: ca.certificatePem }
}
