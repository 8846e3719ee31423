import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { CONTROLLER_URI, HOUR_MS, clockAt, controllerLeaf, newCa, runnerLeaf } from '../../../test/harness/test-pki.ts'
import { x509 } from '../../../test/harness/x509.ts'
import { systemClock } from '../../platform/clock.ts'
import { generateCa, loadCa } from './ca.ts'
import { issueServerCertificate } from './issue-server.ts'
import { issueLeaf } from './issue.ts'

const extension = <T>(pem: string, type: new (...args: never[]) => T): T => {
  const found = new x509.X509Certificate(pem).extensions.find((one) => one instanceof type)
  if (!(found instanceof type)) throw new Error(`no ${type.name}`)
  return found
}

describe('the authority', () => {
  it('is a critical, self-signed P-256 certificate that may sign leaves only, for 30 days from five minutes ago', async () => {
    const material = await generateCa({ installationId: 'inst', clock: systemClock })
    const certificate = new X509Certificate(material.certificatePem)
    expect(certificate.ca).toBe(true)
    expect(certificate.verify(certificate.publicKey)).toBe(true)
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
    expect(extension(material.certificatePem, x509.BasicConstraintsExtension)).toMatchObject({ ca: true, pathLength: 0, critical: true })
    expect(extension(material.certificatePem, x509.KeyUsagesExtension)).toMatchObject({
      usages: x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
      critical: true,
    })
    const key = extension(material.certificatePem, x509.SubjectKeyIdentifierExtension).keyId
    expect(extension(material.certificatePem, x509.AuthorityKeyIdentifierExtension).keyId).toBe(key)
    expect(certificate.serialNumber).toMatch(/^01[0-9A-F]{32}$/)
    expect(material.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    const ageMs = Date.now() - material.notBefore.getTime()
    expect(ageMs).toBeGreaterThanOrEqual(300_000)
    expect(ageMs).toBeLessThan(310_000)
    expect(material.notAfter.getTime() - material.notBefore.getTime()).toBeCloseTo(30 * 24 * HOUR_MS + 300_000, -4)
    expect(createPrivateKey(material.privateKeyPem).asymmetricKeyType).toBe('ec')
  })

  it('comes back from storage as the same one, with a key that cannot be exported', async () => {
    const material = await generateCa({ installationId: 'inst', clock: systemClock })
    const ca = await loadCa({ ...material, clock: systemClock })
    expect(ca.fingerprint).toBe(material.fingerprint)
    expect(ca.signingKey.extractable).toBe(false)
  })

  it('goes on when another implementation made it, as earlier versions did: what it signs names it byte by byte', async () => {
    const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
    const keyId = await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto)
    const made = await x509.X509CertificateGenerator.createSelfSigned({
      name: [{ O: ['Terrane inst'] }, { CN: ['Terrane authority'] }],
      notAfter: new Date(Date.now() + HOUR_MS),
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      keys,
      extensions: [new x509.BasicConstraintsExtension(true, 0, true), keyId, new x509.AuthorityKeyIdentifierExtension(keyId.keyId)],
    })
    const certificatePem = made.toString('pem')
    const privateKeyPem = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
    const leaf = new X509Certificate((await runnerLeaf(await loadCa({ certificatePem, privateKeyPem, clock: systemClock }))).certificatePem)
    expect(leaf.checkIssued(new X509Certificate(certificatePem))).toBe(true)
    expect(leaf.verify(new X509Certificate(certificatePem).publicKey)).toBe(true)
    expect(Buffer.from(new x509.X509Certificate(leaf.raw).issuerName.toArrayBuffer())).toEqual(
      Buffer.from(made.subjectName.toArrayBuffer()),
    )
    expect(extension(leaf.toString(), x509.AuthorityKeyIdentifierExtension).keyId).toBe(keyId.keyId)
  })

  it('is refused with the key of another', async () => {
    const one = await generateCa({ installationId: 'inst', clock: systemClock })
    const two = await generateCa({ installationId: 'inst', clock: systemClock })
    await expect(loadCa({ ...one, privateKeyPem: two.privateKeyPem, clock: systemClock })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })
})

describe('leaves', () => {
  it('have one URI, one usage, and cannot sign', async () => {
    const ca = await newCa()
    const leaf = await controllerLeaf(ca)
    const certificate = new X509Certificate(leaf.certificatePem)
    expect(certificate.subjectAltName).toBe(`URI:${CONTROLLER_URI}`)
    expect(certificate.ca).toBe(false)
    expect(certificate.keyUsage).toEqual([x509.ExtendedKeyUsage.clientAuth])
    expect(certificate.checkPrivateKey(createPrivateKey(leaf.privateKeyPem))).toBe(true)
    expect(certificate.verify(new X509Certificate(ca.certificatePem).publicKey)).toBe(true)
    expect(certificate.serialNumber.toLowerCase()).toBe(leaf.serial)
    expect(new X509Certificate((await runnerLeaf(ca)).certificatePem).keyUsage).toEqual([x509.ExtendedKeyUsage.serverAuth])
  })

  it('have other serials and keys each time', async () => {
    const ca = await newCa()
    const [one, two] = [await controllerLeaf(ca), await controllerLeaf(ca)]
    expect(one.serial).not.toBe(two.serial)
    expect(one.privateKeyPem).not.toBe(two.privateKeyPem)
  })

  it('do not outlive the authority', async () => {
    const ca = await newCa(clockAt(-29.5 * 24 * HOUR_MS))
    const young = { ...ca, clock: systemClock }
    const leaf = await controllerLeaf(young, CONTROLLER_URI, 25 * HOUR_MS)
    expect(leaf.notAfter).toEqual(ca.notAfter)
  })

  it('are not issued for names that are not ours', async () => {
    const ca = await newCa()
    await expect(issueLeaf(ca, { uri: 'spiffe://x/controller/..', usage: 'client', lifetimeMs: HOUR_MS })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })

  it('exist for HTTPS with DNS names and addresses', async () => {
    const ca = await newCa()
    const leaf = await issueServerCertificate(ca, { dnsNames: ['localhost'], ips: ['127.0.0.1', '::1'], lifetimeMs: HOUR_MS })
    const certificate = new X509Certificate(leaf.certificatePem)
    expect(certificate.checkHost('localhost')).toBe('localhost')
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(certificate.checkIP('::1')).toBe('::1')
  })

  it('exist for every form of address, and for many names', async () => {
    const ips = ['10.0.0.255', '2001:db8::5:0:1', '::ffff:10.1.2.3', 'fe80::', '1:2:3:4:5:6:7:8', '::']
    const dnsNames = Array.from({ length: 40 }, (_, index) => `replica-${index}.terrane.example`)
    const leaf = await issueServerCertificate(await newCa(), { dnsNames, ips, lifetimeMs: HOUR_MS })
    const certificate = new X509Certificate(leaf.certificatePem)
    for (const ip of ips) expect(certificate.checkIP(ip)).toBe(ip)
    for (const name of dnsNames) expect(certificate.checkHost(name)).toBe(name)
  })

  it('end in 2050 and later as well', async () => {
    const clock = { ...systemClock, now: () => new Date('2049-12-20T10:20:30Z') }
    const ca = await loadCa({ ...(await generateCa({ installationId: 'inst', clock })), clock })
    const leaf = new X509Certificate((await runnerLeaf(ca, undefined, 400 * HOUR_MS)).certificatePem)
    expect([new Date(leaf.validFrom), new Date(leaf.validTo)]).toEqual([new Date('2049-12-20T10:15:30Z'), new Date('2050-01-06T02:20:30Z')])
  })

  it('are readable whatever their numbers are', async () => {
    const ca = await newCa()
    const authority = new X509Certificate(ca.certificatePem)
    // Numbers of a signature that begin with zeros or a one need another length: among so many are both.
    for (let count = 0; count < 600; count++) {
      const leaf = new X509Certificate((await runnerLeaf(ca)).certificatePem)
      expect(leaf.verify(authority.publicKey)).toBe(true)
    }
  })
})
