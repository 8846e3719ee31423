import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

x509.cryptoProvider.set(webcrypto)

export { x509 }

export const EC_P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const
export const SIGNING_ALGORITHM = { name: 'ECDSA', hash: 'SHA-256' } as const

/** Clocks of two machines differ: certificates are valid from a little before they are made. */
export const BACKDATE_MS = 5 * 60_000

/** 128 random bits as hex; the byte before them keeps the number positive. */
export const newSerial = (): string => `01${randomBytes(16).toString('hex')}`

/** Certificate time has whole seconds. */
export const wholeSeconds = (ms: number): Date => new Date(Math.floor(ms / 1000) * 1000)

export const makeKeyPair = (): Promise<webcrypto.CryptoKeyPair> => webcrypto.subtle.generateKey(EC_P256, true, ['sign', 'verify'])

export const certificateToPem = (certificate: x509.X509Certificate): string => `${certificate.toString('pem')}\n`

export const privateKeyToPem = async (key: webcrypto.CryptoKey): Promise<string> =>
  `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`
