import { AppError } from '../platform/errors.ts'

/**
 * The members of both documents in one object, without parsing: the schemas of a large provider are tens of megabytes. The first key of the
 * schemas gets the name that clients look for; the runner has already done that for the plan.
 */
export const mergeDocuments = async function* (schemas: AsyncIterable<Buffer>, plan: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from('{')
  yield* members(schemas, /^\s*\{\s*"format_version"/, '"provider_format_version"')
  yield Buffer.from(',')
  yield* members(plan, /^\s*\{/, '')
  yield Buffer.from('}\n')
}

const HEAD_BYTES = 64
/** The closing brace and the white space after it are somewhere in these last bytes. */
const TAIL_BYTES = 16

/** The text between the outer braces of an object, its head replaced. */
const members = async function* (source: AsyncIterable<Buffer>, head: RegExp, replacement: string): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  let isStarted = false
  for await (const part of source) {
    held = Buffer.concat([held, part])
    if (!isStarted && held.length >= HEAD_BYTES) {
      held = replaceHead(held, head, replacement)
      isStarted = true
    }
    if (isStarted && held.length > TAIL_BYTES) {
      yield held.subarray(0, held.length - TAIL_BYTES)
      held = held.subarray(held.length - TAIL_BYTES)
    }
  }
  if (!isStarted) held = replaceHead(held, head, replacement)
  const text = held.toString('latin1').trimEnd()
  if (!text.endsWith('}')) throw new AppError('INTERNAL', 'The stored plan document is incomplete.')
  yield Buffer.from(text.slice(0, -1), 'latin1')
}

const replaceHead = (bytes: Buffer, head: RegExp, replacement: string): Buffer => {
  const text = bytes.toString('latin1')
  if (!head.test(text)) throw new AppError('INTERNAL', 'The stored plan document has an unknown form.')
  return Buffer.from(text.replace(head, replacement), 'latin1')
}
