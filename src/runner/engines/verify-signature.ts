import type { PublicKey } from 'openpgp'

type Input = { content: Uint8Array; signature: Uint8Array; trustedKeys: string[]; now: Date }

/**
 * Checks a detached binary OpenPGP signature over `content` against armored public keys. Throws Error with a reason for users.
 * The key is judged at the time of the signature, so that an old release outlives the expiry of its key. Where the key was extended later and
 * kept no older self-signature, it has to be valid now instead: that is what the option with the alarming name does (and what gpg does).
 */
export const verifySignature = async ({ content, signature, trustedKeys, now }: Input): Promise<void> => {
  // Loaded on demand: most servers never download an engine.
  const openpgp = await import('openpgp')
  const keys: PublicKey[] = []
  for (const armoredKey of trustedKeys) {
    const key = await openpgp.readKey({ armoredKey })
    const same = keys.findIndex((other) => other.getFingerprint() === key.getFingerprint())
    const twin = keys[same]
    if (twin === undefined) keys.push(key)
    else keys[same] = await twin.update(key)
  }
  const parsed = await openpgp.readSignature({ binarySignature: signature }).catch((error: unknown) => {
    throw new Error('the signature file is no OpenPGP signature', { cause: error })
  })
  const { signatures } = await openpgp.verify({
    message: await openpgp.createMessage({ binary: content }),
    signature: parsed,
    verificationKeys: keys,
    date: now,
    config: { allowInsecureVerificationWithReformattedKeys: true },
  })
  const outcomes = await Promise.allSettled(signatures.map(({ verified }) => verified))
  if (outcomes.some(({ status }) => status === 'fulfilled')) return
  const signers = signatures.map(({ keyID }) => keyID.toHex().toUpperCase()).join(', ')
  throw new Error(`its signature (by key ${signers || 'unknown'}) is not a valid one by a trusted key`, { cause: outcomes[0] })
}
