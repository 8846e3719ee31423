import { createPrivateKey, type KeyObject, webcrypto, X509Certificate } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { RunnerError } from '../runner.ts'
import {
  BACKDATE_MS,
  certificateToPem,
  EC_P256,
  extensions,
  keyIdOf,
  makeKeyPair,
  nameOf,
  newSerial,
  privateKeyToPem,
  signCertificate,
  subjectOf,
  wholeSeconds,
} from './certificate.ts'

const VALIDITY_MS = 30 * 24 * 3_600_000

/** What is stored of an authority; the caller encrypts `privateKeyPem` (PKCS#8). `fingerprint`: SHA-256 of the DER, lower-case hex. */
export type CaMaterial = { certificatePem: string; privateKeyPem: string; notBefore: Date; notAfter: Date; fingerprint: string }

/** An authority that can sign; its key cannot be exported again. */
export type Ca = {
  certificatePem: string
  fingerprint: string
  notAfter: Date
  /** Subject (DER) and key identifier as they stand in every certificate that it signs. */
  subject: Buffer
  keyId: Buffer
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
  const { publicKey, privateKey } = makeKeyPair()
  const now = clock.now().getTime()
  const name = nameOf(`Terrane ${installationId}`, 'Terrane authority')
  const [notBefore, notAfter] = [wholeSeconds(now - BACKDATE_MS), wholeSeconds(now + validityMs)]
  const keyId = keyIdOf(publicKey)
  const certificate = await signCertificate(
    {
      serial: newSerial(),
      issuer: name,
      subject: name,
      notBefore,
      notAfter,
      publicKey,
      extensions: [extensions.authority, extensions.maySignCertificates, extensions.keyId(keyId), extensions.authorityKeyId(keyId)],
    },
    await signingKeyOf(privateKey),
  )
  return {
    certificatePem: certificateToPem(certificate),
    privateKeyPem: privateKeyToPem(privateKey),
    notBefore,
    notAfter,
    fingerprint: fingerprintOf(new X509Certificate(certificate)),
  }
}

const signingKeyOf = (key: KeyObject): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), EC_P256, false, ['sign'])

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
    ...issuerOf(parsed),
    signingKey: await signingKeyOf(key),
    clock: stored.clock,
  }
}

/** What the certificates say that `certificate` signs. */
export const issuerOf = (certificate: X509Certificate): Pick<Ca, 'subject' | 'keyId'> => ({
  subject: subjectOf(certificate),
  keyId: keyIdOf(certificate.publicKey),
})

/** SHA-256 of the DER, lower-case hex. */
export const fingerprintOf = (certificate: X509Certificate): string => certificate.fingerprint256.replaceAll(':', '').toLowerCase()
