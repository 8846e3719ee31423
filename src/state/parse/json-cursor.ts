/**
 * Reading JSON bytes without building values: numbers keep every digit, and a large document is walked in small steps.
 * Tolerant: what is skipped is not checked beyond its brackets and strings. Throws SyntaxError at what cannot be walked.
 */
export type JsonCursor = { readonly bytes: Buffer; at: number }

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

const broken = (cursor: JsonCursor): SyntaxError => new SyntaxError(`unexpected byte at ${cursor.at}`)

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const endsScalar = (byte: number | undefined): boolean =>
  byte === undefined || byte === COMMA || byte === COLON || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte)

/** The next byte that is not white space; the cursor stands on it. */
const peek = (cursor: JsonCursor): number | undefined => {
  while (isSpace(cursor.bytes[cursor.at])) cursor.at++
  return cursor.bytes[cursor.at]
}

const expect = (cursor: JsonCursor, byte: number): void => {
  if (peek(cursor) !== byte) throw broken(cursor)
  cursor.at++
}

const skipString = (cursor: JsonCursor): void => {
  const { bytes } = cursor
  let at = cursor.at + 1
  for (;;) {
    const byte = bytes[at]
    if (byte === undefined) throw broken(cursor)
    if (byte === QUOTE) break
    at += byte === BACKSLASH ? 2 : 1
  }
  cursor.at = at + 1
}

const skipScalar = (cursor: JsonCursor): void => {
  const start = cursor.at
  while (!endsScalar(cursor.bytes[cursor.at])) cursor.at++
  if (cursor.at === start) throw broken(cursor)
}

/** Moves past one value. */
export const skipValue = (cursor: JsonCursor): void => {
  let depth = 0
  do {
    const byte = peek(cursor)
    if (byte === QUOTE) skipString(cursor)
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth++
      cursor.at++
    } else if (depth > 0 && (byte === CLOSE_BRACE || byte === CLOSE_BRACKET)) {
      depth--
      cursor.at++
    } else if (depth > 0 && (byte === COMMA || byte === COLON)) cursor.at++
    else skipScalar(cursor)
  } while (depth > 0)
}

/** The text of one value, exactly as written. */
export const readText = (cursor: JsonCursor): string => {
  peek(cursor)
  const start = cursor.at
  skipValue(cursor)
  return cursor.bytes.toString('utf8', start, cursor.at)
}

/** One value through JSON.parse: for strings, booleans and small things; numbers lose what a double cannot hold. */
export const readValue = (cursor: JsonCursor): unknown => JSON.parse(readText(cursor))

/**
 * The keys of the object at the cursor. For each the cursor stands before the value, and the caller moves past it before asking for the
 * next. Anything but an object (`null`, a list) is moved past and has no keys.
 */
export function* readKeys(cursor: JsonCursor): Generator<string> {
  if (peek(cursor) !== OPEN_BRACE) return skipValue(cursor)
  cursor.at++
  if (peek(cursor) === CLOSE_BRACE) return void cursor.at++
  for (;;) {
    if (peek(cursor) !== QUOTE) throw broken(cursor)
    // safe because the text begins with a quote
    const key = readValue(cursor) as string
    expect(cursor, COLON)
    yield key
    if (peek(cursor) === CLOSE_BRACE) return void cursor.at++
    expect(cursor, COMMA)
  }
}

/** The same for the items of the list at the cursor. */
export function* readItems(cursor: JsonCursor): Generator<void> {
  if (peek(cursor) !== OPEN_BRACKET) return skipValue(cursor)
  cursor.at++
  if (peek(cursor) === CLOSE_BRACKET) return void cursor.at++
  for (;;) {
    yield
    if (peek(cursor) === CLOSE_BRACKET) return void cursor.at++
    expect(cursor, COMMA)
  }
}
