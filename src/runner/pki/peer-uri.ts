import type { X509Certificate } from 'node:crypto'
import { parseSpiffeUri } from './spiffe.ts'

const PREFIX = 'URI:'

/**
 * The one URI of a certificate, or undefined when it has none, more names than one, or one that is not ours.
 * Node joins several names with a comma and quotes a value that holds one, so what passes the strict parser is one name.
 */
export const peerUri = (certificate: X509Certificate): string | undefined => {
  const names = certificate.subjectAltName
  if (!names?.startsWith(PREFIX)) return undefined
  const uri = names.slice(PREFIX.length)
  return parseSpiffeUri(uri) && uri
}
