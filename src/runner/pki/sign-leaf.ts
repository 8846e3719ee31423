import { isIPv4 } from 'node:net'
import type { Ca } from './ca.ts'
import {
  BACKDATE_MS,
  certificateToPem,
  extensions,
  keyIdOf,
  makeKeyPair,
  newSerial,
  NO_NAME,
  privateKeyToPem,
  signCertificate,
  wholeSeconds,
} from './certificate.ts'
import { der } from './der.ts'

export type Leaf = { certificatePem: string; privateKeyPem: string; serial: string; notAfter: Date }

export type LeafName = { type: 'url' | 'dns' | 'ip'; value: string }

/** A leaf with exactly these names and one extended usage, valid from five minutes ago for `lifetimeMs`, at most as long as `ca`. */
export const signLeaf = async (ca: Ca, leaf: { names: LeafName[]; usage: 'server' | 'client'; lifetimeMs: number }): Promise<Leaf> => {
  const { publicKey, privateKey } = makeKeyPair()
  const now = ca.clock.now().getTime()
  const serial = newSerial()
  const notAfter = wholeSeconds(Math.min(now + leaf.lifetimeMs, ca.notAfter.getTime()))
  const certificate = await signCertificate(
    {
      serial,
      issuer: ca.subject,
      subject: NO_NAME,
      notBefore: wholeSeconds(now - BACKDATE_MS),
      notAfter,
      publicKey,
      extensions: [
        extensions.noAuthority,
        extensions.maySign,
        leaf.usage === 'server' ? extensions.servesTls : extensions.asksByTls,
        extensions.alternativeNames(leaf.names.map(generalName)),
        extensions.keyId(keyIdOf(publicKey)),
        extensions.authorityKeyId(ca.keyId),
      ],
    },
    ca.signingKey,
  )
  return {
    certificatePem: certificateToPem(certificate),
    privateKeyPem: privateKeyToPem(privateKey),
    serial: serial.toString('hex'),
    notAfter,
  }
}

/** RFC 5280, 4.2.1.6. */
const generalName = ({ type, value }: LeafName): Buffer => {
  if (type === 'ip') return der.implicit(7, addressBytes(value))
  return der.implicit(type === 'dns' ? 2 : 6, Buffer.from(value, 'latin1'))
}

const addressBytes = (address: string): Buffer => {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  // A URL has it in hexadecimal, whatever its form was.
  const [before = '', after = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (text: string): number[] => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [head, tail] = [groups(before), groups(after)]
  const all = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}
