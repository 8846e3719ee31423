import { Readable } from 'node:stream'
import type { z } from 'zod'
import { parseWith } from './jsonapi/invalid.ts'
import { type BodySource, JSON_BODY_MAX_BYTES, chunksOf, isRecord, readJson, tooLarge } from './read-json.ts'
import { wireKeys } from './wire-keys.ts'

/** How a body is read, and what the OpenAPI document says about it. */
export type Body<Parsed> = {
  kind: 'json-api' | 'linkage' | 'plain-json' | 'bytes'
  type?: string
  schema?: z.ZodType
  read(source: BodySource): Promise<Parsed>
}

/**
 * JSON without envelope, e.g. `{}`, `{"comment": "…"}` or nothing at all (read as `{}`). A JSON:API envelope is accepted too: its
 * attributes are taken, because clients send a lock reason in either form. Schema keys are camelCase.
 */
export const plainJson = <S extends z.ZodType>(schema: S, options: { maxBytes?: number } = {}): Body<z.output<S>> => {
  const keys = wireKeys(schema)
  return {
    kind: 'plain-json',
    schema,
    read: async (source) => {
      const value = (await readJson(source, options.maxBytes ?? JSON_BODY_MAX_BYTES)) ?? {}
      const enveloped = isRecord(value) && isRecord(value.data)
      const plain = enveloped && isRecord(value.data) ? (value.data.attributes ?? {}) : value
      return parseWith(schema, keys.rename(plain), (path) => ({
        pointer: [enveloped ? '/data/attributes' : '', ...keys.wirePath(path)].join('/'),
      }))
    },
  }
}

export type ByteBody = { stream: Readable; sizeBytes: number | undefined; contentType: string | undefined }

/** The raw body as a stream, never buffered. More than `maxBytes` is a 413: at once when announced, else an error of the stream. */
export const bytes = (options: { maxBytes: number }): Body<ByteBody> => ({
  kind: 'bytes',
  read: async (source) => {
    const announced = source.header('content-length')
    const sizeBytes = announced === undefined ? undefined : Number(announced)
    if (sizeBytes !== undefined && sizeBytes > options.maxBytes) throw tooLarge(options.maxBytes)
    const stream = Readable.from(chunksOf(source.raw.body, options.maxBytes), { objectMode: false })
    return { stream, sizeBytes, contentType: source.header('content-type') }
  },
})
