import { createHash, generateKeyPairSync, type KeyObject, randomBytes, webcrypto, type X509Certificate } from 'node:crypto'
import { der, valuesIn } from './der.ts'

/** Clocks of two machines differ: certificates are valid from a little before they are made. */
export const BACKDATE_MS = 5 * 60_000

export const EC_P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const

const ECDSA_WITH_SHA256 = der.sequence(der.oid('1.2.840.10045.4.3.2'))
const VERSION_3 = der.explicit(0, der.integer(Buffer.from([2])))

/** Certificate time has whole seconds. */
export const wholeSeconds = (ms: number): Date => new Date(Math.floor(ms / 1000) * 1000)

/** 128 random bits; the byte before them keeps the number positive and its length the same. */
export const newSerial = (): Buffer => Buffer.concat([Buffer.from([1]), randomBytes(16)])

export const makeKeyPair = (): { publicKey: KeyObject; privateKey: KeyObject } => generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** A distinguished name of an organization and a common name (RFC 5280, 4.1.2.4). */
export const nameOf = (organization: string, commonName: string): Buffer => {
  const attribute = (oid: string, text: string): Buffer => der.set(der.sequence(der.oid(oid), der.utf8String(text)))
  return der.sequence(attribute('2.5.4.10', organization), attribute('2.5.4.3', commonName))
}

export const NO_NAME = der.sequence()

/** The subject of one of our certificates as it stands there: what it signs has exactly this as its issuer. */
export const subjectOf = ({ raw }: X509Certificate): Buffer => {
  const [body = raw] = valuesIn(raw)
  const [, , , , , subject = NO_NAME] = valuesIn(body)
  return subject
}

/** SHA-1 of the public key's bits (RFC 5280, 4.2.1.2, method 1). */
export const keyIdOf = (publicKey: KeyObject): Buffer => {
  // Of a P-256 key they are the last 65 bytes: an uncompressed point.
  const bits = publicKey.export({ type: 'spki', format: 'der' }).subarray(-65)
  return createHash('sha1').update(bits).digest()
}

const extension = (oid: string, value: Buffer, isCritical = false): Buffer =>
  der.sequence(der.oid(oid), ...(isCritical ? [der.true] : []), der.octetString(value))

/** RFC 5280, 4.2.1. */
export const extensions = {
  /** May sign certificates that sign none. */
  authority: extension('2.5.29.19', der.sequence(der.true, der.integer(Buffer.from([0]))), true),
  noAuthority: extension('2.5.29.19', der.sequence(), true),
  /** keyCertSign and cRLSign. */
  maySignCertificates: extension('2.5.29.15', der.bitString(Buffer.from([0x06]), 1), true),
  /** digitalSignature. */
  maySign: extension('2.5.29.15', der.bitString(Buffer.from([0x80]), 7), true),
  servesTls: extension('2.5.29.37', der.sequence(der.oid('1.3.6.1.5.5.7.3.1'))),
  asksByTls: extension('2.5.29.37', der.sequence(der.oid('1.3.6.1.5.5.7.3.2'))),
  keyId: (id: Buffer): Buffer => extension('2.5.29.14', der.octetString(id)),
  authorityKeyId: (id: Buffer): Buffer => extension('2.5.29.35', der.sequence(der.implicit(0, id))),
  /** Critical, as RFC 5280 wants it beside an empty subject. `names`: GeneralNames. */
  alternativeNames: (names: Buffer[]): Buffer => extension('2.5.29.17', der.sequence(...names), true),
}

type Contents = {
  serial: Buffer
  /** Names, in DER. */
  issuer: Buffer
  subject: Buffer
  notBefore: Date
  notAfter: Date
  publicKey: KeyObject
  extensions: Buffer[]
}

/** A certificate (RFC 5280, 4.1) that `signingKey`, of P-256, signs with SHA-256. */
export const signCertificate = async (
  { serial, issuer, subject, notBefore, notAfter, publicKey, extensions: all }: Contents,
  signingKey: webcrypto.CryptoKey,
): Promise<Buffer> => {
  const body = der.sequence(
    VERSION_3,
    der.integer(serial),
    ECDSA_WITH_SHA256,
    issuer,
    der.sequence(der.time(notBefore), der.time(notAfter)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der.explicit(3, der.sequence(...all)),
  )
  // Web Crypto answers both numbers one after the other, a certificate has them as a sequence (RFC 3279, 2.2.3).
  const numbers = Buffer.from(await webcrypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, signingKey, body))
  const signature = der.sequence(der.integer(numbers.subarray(0, 32)), der.integer(numbers.subarray(32)))
  return der.sequence(body, ECDSA_WITH_SHA256, der.bitString(signature))
}

export const certificateToPem = (certificate: Buffer): string => {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

/** PKCS#8. */
export const privateKeyToPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()
