import { X509Certificate } from 'node:crypto'
import tls from 'node:tls'
import { joinPem } from '../pki/pem.ts'
import { peerUri } from '../pki/peer-uri.ts'

/** Who the controller is and whom it trusts: PEM texts, one certificate per element of `trustPem`. */
export type ClientIdentity = { certificatePem: string; privateKeyPem: string; trustPem: string[] }

/** TLS 1.3 only; the minimum must be in the context, grpc-js has no option for it. */
export const clientContext = (identity: ClientIdentity): tls.SecureContext =>
  tls.createSecureContext({
    minVersion: 'TLSv1.3',
    cert: identity.certificatePem,
    key: identity.privateKeyPem,
    ca: joinPem(identity.trustPem),
  })

/** Replaces the check of the host name: the peer's certificate has one name and it is the expected one of this moment, byte for byte. */
export const checkPeerUri =
  (expectedUri: () => string) =>
  (_host: string, certificate: tls.PeerCertificate): Error | undefined =>
    peerUri(new X509Certificate(certificate.raw)) === expectedUri()
      ? undefined
      : new Error('the runner has the certificate of another runner')
