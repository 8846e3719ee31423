import { cleanText } from './clean-text.ts'
import { type JsonCursor, readKeys, readText, readValue, skipValue } from './json-cursor.ts'
import { outputType } from './output-type.ts'

export type ParsedOutput = {
  name: string
  isSensitive: boolean
  /** `string`, `number`, `boolean`, `array` or `object`. */
  type: string
  /** JSON text of Terraform's type expression. */
  detailedType: string | undefined
  /** JSON text of the value, exactly as written. */
  value: string
}

/** JSON text that is known to be well formed. */
const readChecked = (cursor: JsonCursor): string => {
  const text = readText(cursor)
  JSON.parse(text)
  return text
}

/**
 * Reads `{name: {value, type, sensitive}}` at the cursor, the form of both a state's `outputs` and `json-state-outputs`. Of a name given
 * twice the last one counts. Throws SyntaxError.
 */
export function* parseOutputs(cursor: JsonCursor): Generator<void, ParsedOutput[]> {
  const outputs = new Map<string, ParsedOutput>()
  for (const key of readKeys(cursor)) {
    let value: string | undefined
    let detailedType: string | undefined
    let isSensitive = false
    for (const member of readKeys(cursor)) {
      if (member === 'value') value = readChecked(cursor)
      else if (member === 'type') detailedType = readChecked(cursor)
      else if (member === 'sensitive') isSensitive = readValue(cursor) === true
      else skipValue(cursor)
    }
    const name = cleanText(key)
    if (value !== undefined) outputs.set(name, { name, isSensitive, type: outputType(detailedType, value), detailedType, value })
    yield
  }
  return [...outputs.values()]
}
