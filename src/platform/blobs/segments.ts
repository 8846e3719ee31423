import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/**
 * Form of a blob file: `TRB1` | salt (32 bytes) | seal (32) | segments. A segment is 64 KiB of the plain bytes (the last one less) under
 * AES-256-GCM, followed by its tag (16), so that a range is read without the rest. The key comes from the salt, the nonce is the number
 * of the segment, the seal is an HMAC over salt, blob key and plain size: a file that was cut, moved or exchanged is refused.
 */
export const SEGMENT_BYTES = 65_536
export const SALT_BYTES = 32
const TAG_BYTES = 16
const MAGIC = Buffer.from('TRB1')
const SEAL_BYTES = 32
export const HEADER_BYTES = MAGIC.length + SALT_BYTES + SEAL_BYTES
const STORED_SEGMENT_BYTES = SEGMENT_BYTES + TAG_BYTES

export type SegmentCipher = {
  encrypt(index: number, plain: Uint8Array): Buffer
  /** Throws when the bytes are not the ones that were written there. */
  decrypt(index: number, stored: Buffer): Buffer
  header(key: string, plainBytes: number): Buffer
}

export const makeSegmentCipher = (storeKey: Buffer, salt: Buffer): SegmentCipher => {
  const keys = Buffer.from(hkdfSync('sha256', storeKey, salt, 'terrane/blob', 64))
  const [dataKey, sealKey] = [keys.subarray(0, 32), keys.subarray(32)]
  const nonce = (index: number): Buffer => {
    const bytes = Buffer.alloc(12)
    bytes.writeUIntBE(index, 6, 6)
    return bytes
  }
  return {
    encrypt: (index, plain) => {
      const cipher = createCipheriv('aes-256-gcm', dataKey, nonce(index))
      return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    decrypt: (index, stored) => {
      const decipher = createDecipheriv('aes-256-gcm', dataKey, nonce(index), { authTagLength: TAG_BYTES })
      decipher.setAuthTag(stored.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(stored.subarray(0, -TAG_BYTES)), decipher.final()])
    },
    header: (key, plainBytes) => {
      const seal = createHmac('sha256', sealKey).update(`${key} ${plainBytes}`).digest()
      return Buffer.concat([MAGIC, salt, seal])
    },
  }
}

/** Size of the plain bytes of a file of `fileBytes`. */
export const plainBytesOf = (fileBytes: number): number => {
  const body = fileBytes - HEADER_BYTES
  return body - Math.ceil(body / STORED_SEGMENT_BYTES) * TAG_BYTES
}

/** Where segment `index` of a blob of `plainBytes` lies in the file. */
export const segmentPlace = (index: number, plainBytes: number): { position: number; storedBytes: number } => ({
  position: HEADER_BYTES + index * STORED_SEGMENT_BYTES,
  storedBytes: Math.min(SEGMENT_BYTES, plainBytes - index * SEGMENT_BYTES) + TAG_BYTES,
})

/** The cipher of a file with this header; undefined when the header is not the one written for `key` and `plainBytes`. */
export const openHeader = (storeKey: Buffer, header: Buffer, key: string, plainBytes: number): SegmentCipher | undefined => {
  if (header.length !== HEADER_BYTES) return undefined
  const cipher = makeSegmentCipher(storeKey, header.subarray(MAGIC.length, MAGIC.length + SALT_BYTES))
  return timingSafeEqual(header, cipher.header(key, plainBytes)) ? cipher : undefined
}
