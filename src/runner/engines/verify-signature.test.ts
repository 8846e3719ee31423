import * as openpgp from 'openpgp'
import { beforeAll, describe, expect, it } from 'vitest'
import { hashicorpKeys } from './hashicorp-key.ts'
import { generateSigningKey, signDetached } from '../../../test/harness/release-mirror.ts'
import { verifySignature } from './verify-signature.ts'

const content = Buffer.from('signed text')
const now = new Date('2026-06-01T00:00:00Z')
let key: Awaited<ReturnType<typeof generateSigningKey>>

beforeAll(async () => {
  key = await generateSigningKey(new Date('2024-01-01T00:00:00Z'))
})

describe('verifySignature', () => {
  it('accepts a signature by a trusted key, among others', async () => {
    const signature = await signDetached(content, key.privateKey, new Date('2025-01-01T00:00:00Z'))
    const verified = verifySignature({ content, signature, trustedKeys: [...hashicorpKeys, key.armored], now })
    await expect(verified).resolves.toBeUndefined()
  })

  it('refuses other content, an untrusted key, a time to come and garbage', async () => {
    const signature = await signDetached(content, key.privateKey, new Date('2025-01-01T00:00:00Z'))
    const trustedKeys = [key.armored]
    await expect(verifySignature({ content: Buffer.from('other'), signature, trustedKeys, now })).rejects.toThrow(
      /not a valid one by a trusted key/,
    )
    await expect(verifySignature({ content, signature, trustedKeys: hashicorpKeys, now })).rejects.toThrow(/by key [0-9A-F]{16}/)
    await expect(verifySignature({ content, signature, trustedKeys: [], now })).rejects.toThrow(/trusted key/)
    await expect(verifySignature({ content, signature, trustedKeys, now: new Date('2024-06-01T00:00:00Z') })).rejects.toThrow(/trusted key/)
    await expect(verifySignature({ content, signature: Buffer.from('no'), trustedKeys, now })).rejects.toThrow(
      /no OpenPGP signature|trusted key/,
    )
    await expect(verifySignature({ content, signature: Buffer.alloc(0), trustedKeys, now })).rejects.toThrow(
      /no OpenPGP signature|trusted key/,
    )
  })

  it('accepts what a key signed before it was extended, and before it expired', async () => {
    const signature = await signDetached(content, key.privateKey, new Date('2025-01-01T00:00:00Z'))
    const extend = async (date: string, years: number): Promise<string> => {
      const { publicKey } = await openpgp.reformatKey({
        privateKey: key.privateKey,
        userIDs: [{ name: 'Release Test', email: 'release@example.com' }],
        date: new Date(date),
        keyExpirationTime: years * 365 * 86_400,
        format: 'object',
      })
      return publicKey.armor()
    }
    const extendedLater = await extend('2026-01-01T00:00:00Z', 10)
    await verifySignature({ content, signature, trustedKeys: [extendedLater], now })
    const expiredSince = await extend('2024-02-01T00:00:00Z', 2)
    await verifySignature({ content, signature, trustedKeys: [expiredSince], now })
    const expiredBefore = await extend('2024-02-01T00:00:00Z', 0.5)
    await expect(verifySignature({ content, signature, trustedKeys: [expiredBefore], now })).rejects.toThrow(/trusted key/)
  })
})

/** A real release of the vendor, signed in April 2021 by a subkey that expired in 2022. */
const vendorSums = `fea4227271ebf7d9e2b61b89ce2328c7262acd9fd190e1fd6d15a591abfa848e  terraform-provider-null_3.1.0_darwin_amd64.zip
9ebf4d9704faba06b3ec7242c773c0fbfe12d62db7d00356d4f55385fc69bfb2  terraform-provider-null_3.1.0_darwin_arm64.zip
a6576c81adc70326e4e1c999c04ad9ca37113a6e925aefab4765e5a5198efa7e  terraform-provider-null_3.1.0_freebsd_386.zip
5f9200bf708913621d0f6514179d89700e9aa3097c77dac730e8ba6e5901d521  terraform-provider-null_3.1.0_freebsd_amd64.zip
fc39cc1fe71234a0b0369d5c5c7f876c71b956d23d7d6f518289737a001ba69b  terraform-provider-null_3.1.0_freebsd_arm.zip
c797744d08a5307d50210e0454f91ca4d1c7621c68740441cf4579390452321d  terraform-provider-null_3.1.0_linux_386.zip
53e30545ff8926a8e30ad30648991ca8b93b6fa496272cd23b26763c8ee84515  terraform-provider-null_3.1.0_linux_amd64.zip
cecb6a304046df34c11229f20a80b24b1603960b794d68361a67c5efe58e62b8  terraform-provider-null_3.1.0_linux_arm64.zip
e1371aa1e502000d9974cfaff5be4cfa02f47b17400005a16f14d2ef30dc2a70  terraform-provider-null_3.1.0_linux_arm.zip
a8a42d13346347aff6c63a37cda9b2c6aa5cc384a55b2fe6d6adfa390e609c53  terraform-provider-null_3.1.0_windows_386.zip
02a1675fd8de126a00460942aaae242e65ca3380b5bb192e8773ef3da9073fd2  terraform-provider-null_3.1.0_windows_amd64.zip
`
const vendorSignature = [
  'wsFcBAABCAAQBQJgga+GCRCwtEEJdoW2dgAAo0YQAAW911BGDr2WHLo5NwcZenwHyxL5DX9g+4BknKbc/WxRC1hD8Afi3eygZk1yR6eT4Gp2HyNOwCjGL1PT',
  'ONBumMfj9udIeuX8onrJMMvjFHh+bORGxBi4FKr4V3b2ZV1IYOjWMEyyTGRDvwSCdxBkp3apH3s2xZLmRoAj84JZ4KaxGF7hlT0j4IkNyQKd2T5cCByN9DV8',
  '0+x+HtzaOieFwJL97iyGj6aznXfKfslK6S4oIrVTwyLTrQbxSxA0LsdUjRPHnJamL3sFOG77qUEUoXG3r61yi5vWV4P5gCH/+C+VkfGHqaB1s0jHYLxoTEXt',
  'wthe66MydDBPe2Hd0J12u9ppOIeK3leeb4uiixWIirNdpWyjr/LU1KKWPxsDqMGYJ9TexyWkXjEpYmIEiY1Rxar8jrLh+FqVAhxRJajjgSRu5pZj50CNeKmm',
  'byolLhPCmICjYYU/xKPGXSyDFqonVVyMWCSpO+8F38OmwDQHIk5AWyc8hPOAZ+g5N95cfUAzEqlvmNvVHQIU40Y6/Ip2HZzzFCLKQkMP1aDakYHq5w4ZO/uc',
  'jhKuoh1HDQMuMnZSu4eo2nMTBzYZnUxwtROrJZF1t103avbmP2QE/GaPvLIQn7o5WMV3ZcPCJ+szzzby7H2e33WIynrY/95ensBxh7mGFbcQ1C59b5o7viwI',
  'aaY2',
].join('')

describe('hashicorpKeys', () => {
  it('are the key with the fingerprint of the decision record, able to sign today', async () => {
    for (const armoredKey of hashicorpKeys) {
      expect((await openpgp.readKey({ armoredKey })).getFingerprint()).toBe('c874011f0ab405110d02105534365d9472d7468f')
    }
    const signingKey = await (await openpgp.readKey({ armoredKey: hashicorpKeys[0] ?? '' })).getSigningKey(undefined, now)
    expect(signingKey.getFingerprint()).toBe('374ec75b485913604a831cc7c820c6d5cd27ab87')
  })

  it('verify a real signature of the vendor', async () => {
    const signature = Buffer.from(vendorSignature, 'base64')
    await verifySignature({ content: Buffer.from(vendorSums), signature, trustedKeys: hashicorpKeys, now })
    const changed = Buffer.from(vendorSums.replace('fea4', 'fea5'))
    await expect(verifySignature({ content: changed, signature, trustedKeys: hashicorpKeys, now })).rejects.toThrow(/B0B441097685B676/)
  })
})
