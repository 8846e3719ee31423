import { X509Certificate, createPrivateKey, webcrypto } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { RunnerError } from '../runner.ts'
import {
  BACKDATE_MS,
  EC_P256,
  SIGNING_ALGORITHM,
  certificateToPem,
  makeKeyPair,
  newSerial,
  privateKeyToPem,
  wholeSeconds,
  x509,
} from './x509.ts'

const VALIDITY_MS = 30 * 24 * 3_600_000

/** What is stored of an authority; the caller encrypts `privateKeyPem` (PKCS#8). `fingerprint`: SHA-256 of the DER, lower-case hex. */
export type CaMaterial = { certificatePem: string; privateKeyPem: string; notBefore: Date; notAfter: Date; fingerprint: string }

/** An authority that can sign; its key cannot be exported again. */
export type Ca = {
  certificatePem: string
  fingerprint: string
  notAfter: Date
  /** Subject and key identifier as they stand in every certificate that it signs. */
  subject: x509.Name
  keyId: x509.AuthorityKeyIdentifierExtension
  signingKey: webcrypto.CryptoKey
  clock: Clock
}

/** The authority that signs, and every certificate that both sides trust: one PEM each. */
export type CaBundle = { ca: Ca; trustPem: string[] }

/** A new self-signed authority: ECDSA P-256, path length 0, valid from five minutes ago for 30 days or `validityMs`. */
export const generateCa = async ({
  installationId,
  clock,
  validityMs = VALIDITY_MS,
}: {
  installationId: string
  clock: Clock
  validityMs?: number
}): Promise<CaMaterial> => {
  const keys = await makeKeyPair()
  const now = clock.now().getTime()
  const keyId = await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: newSerial(),
      name: [{ O: [`Terrane ${installationId}`] }, { CN: ['Terrane authority'] }],
      notBefore: wholeSeconds(now - BACKDATE_MS),
      notAfter: wholeSeconds(now + validityMs),
      signingAlgorithm: SIGNING_ALGORITHM,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        keyId,
        new x509.AuthorityKeyIdentifierExtension(keyId.keyId),
      ],
    },
    webcrypto,
  )
  return {
    certificatePem: certificateToPem(certificate),
    privateKeyPem: await privateKeyToPem(keys.privateKey),
    notBefore: certificate.notBefore,
    notAfter: certificate.notAfter,
    fingerprint: fingerprintOf(new X509Certificate(Buffer.from(certificate.rawData))),
  }
}

/** The stored authority, ready to sign. Throws RunnerError `INVALID_ARGUMENT` when key and certificate are no pair. */
export const loadCa = async (stored: { certificatePem: string; privateKeyPem: string; clock: Clock }): Promise<Ca> => {
  const parsed = new X509Certificate(stored.certificatePem)
  const key = createPrivateKey(stored.privateKeyPem)
  if (!parsed.ca || !parsed.checkPrivateKey(key)) {
    throw new RunnerError('INVALID_ARGUMENT', 'the stored key does not belong to the stored certificate of the authority')
  }
  return {
    certificatePem: stored.certificatePem,
    fingerprint: fingerprintOf(parsed),
    notAfter: new Date(parsed.validTo),
    ...(await issuerOf(new x509.X509Certificate(parsed.raw))),
    signingKey: await webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), EC_P256, false, ['sign']),
    clock: stored.clock,
  }
}

/** SHA-256 of the DER, lower-case hex. */
/** What the certificates say that `certificate` signs. Worked out once: it takes a good part of what signing does. */
export const issuerOf = async (certificate: x509.X509Certificate): Promise<Pick<Ca, 'subject' | 'keyId'>> => ({
  subject: certificate.subjectName,
  keyId: await x509.AuthorityKeyIdentifierExtension.create(certificate.publicKey, false, webcrypto),
})

export const fingerprintOf = (certificate: X509Certificate): string => certificate.fingerprint256.replaceAll(':', '').toLowerCase()
