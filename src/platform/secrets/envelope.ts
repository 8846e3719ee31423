import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'
import { deriveKey, type InstallationKey } from './installation-key.ts'

/**
 * Envelope encryption of small secrets in rows. `context` binds a value to its place (`variables/var-…`): moved elsewhere it does not open.
 */
export type Envelope = {
  seal(plain: string | Uint8Array, context: string): Buffer
  /** Throws when the key, the context or the bytes are not the ones it was sealed with. */
  open(sealed: Uint8Array, context: string): Buffer
  openText(sealed: Uint8Array, context: string): string
}

const VERSION = 1
const KEY_ID_BYTES = 8
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + KEY_ID_BYTES
const BOX_OVERHEAD = NONCE_BYTES + TAG_BYTES
const VALUE_OFFSET = HEADER_BYTES + KEY_BYTES + BOX_OVERHEAD

/** Length of what was sealed, in bytes. */
export const plainBytes = (sealed: Uint8Array): number => sealed.byteLength - VALUE_OFFSET - BOX_OVERHEAD

/** nonce | ciphertext | tag */
const encrypt = (key: Buffer, plain: Uint8Array, additional: Buffer): Buffer => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(additional)
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

const decrypt = (key: Buffer, box: Buffer, additional: Buffer): Buffer => {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(additional).setAuthTag(box.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
}

const refusal = (internal: string): AppError => new AppError('INTERNAL', 'A stored secret could not be opened.', { internal })

/**
 * AES-256-GCM: version (1 byte) | id of the installation key (8) | data key, wrapped by the installation key | value under the data key.
 * Both layers authenticate the header and the context. The first key seals, every key opens: a rotation puts the new key first and
 * wraps the data keys again.
 */
export const makeEnvelope = ({ keys }: { keys: [InstallationKey, ...InstallationKey[]] }): Envelope => {
  const wrapping = new Map(keys.map((key) => [key.id.toString('hex'), deriveKey(key, 'envelope')]))
  const sealingHeader = Buffer.concat([Buffer.from([VERSION]), keys[0].id])
  const sealingKey = deriveKey(keys[0], 'envelope')

  const open = (bytes: Uint8Array, context: string): Buffer => {
    const sealed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (sealed.length < VALUE_OFFSET + BOX_OVERHEAD || sealed[0] !== VERSION) throw refusal(`${context}: not a sealed value`)
    const header = sealed.subarray(0, HEADER_BYTES)
    const key = wrapping.get(header.subarray(1).toString('hex'))
    if (key === undefined) throw refusal(`${context}: sealed with an installation key that is not loaded`)
    const additional = Buffer.concat([header, Buffer.from(context)])
    try {
      return decrypt(decrypt(key, sealed.subarray(HEADER_BYTES, VALUE_OFFSET), additional), sealed.subarray(VALUE_OFFSET), additional)
    } catch {
      throw refusal(`${context}: the bytes were changed, or were sealed for another place`)
    }
  }

  return {
    seal: (plain, context) => {
      const additional = Buffer.concat([sealingHeader, Buffer.from(context)])
      const dataKey = randomBytes(KEY_BYTES)
      const value = encrypt(dataKey, typeof plain === 'string' ? Buffer.from(plain) : plain, additional)
      return Buffer.concat([sealingHeader, encrypt(sealingKey, dataKey, additional), value])
    },
    open,
    openText: (sealed, context) => open(sealed, context).toString('utf8'),
  }
}
