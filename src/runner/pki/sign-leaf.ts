import { webcrypto } from 'node:crypto'
import type { Ca } from './ca.ts'
import { BACKDATE_MS, SIGNING_ALGORITHM, certificateToPem, makeKeyPair, newSerial, privateKeyToPem, wholeSeconds, x509 } from './x509.ts'

export type Leaf = { certificatePem: string; privateKeyPem: string; serial: string; notAfter: Date }

export type LeafName = { type: 'url' | 'dns' | 'ip'; value: string }

/** A leaf with exactly these names and one extended usage, valid from five minutes ago for `lifetimeMs`, at most as long as `ca`. */
export const signLeaf = async (ca: Ca, leaf: { names: LeafName[]; usage: 'server' | 'client'; lifetimeMs: number }): Promise<Leaf> => {
  const keys = await makeKeyPair()
  const now = ca.clock.now().getTime()
  const serial = newSerial()
  const notAfter = wholeSeconds(Math.min(now + leaf.lifetimeMs, ca.notAfter.getTime()))
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: serial,
      issuer: ca.subject,
      notBefore: wholeSeconds(now - BACKDATE_MS),
      notAfter,
      signingAlgorithm: SIGNING_ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: ca.signingKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([leaf.usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth]),
        // Critical as RFC 5280 wants it beside an empty subject.
        new x509.SubjectAlternativeNameExtension(leaf.names, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
        ca.keyId,
      ],
    },
    webcrypto,
  )
  return { certificatePem: certificateToPem(certificate), privateKeyPem: await privateKeyToPem(keys.privateKey), serial, notAfter }
}
