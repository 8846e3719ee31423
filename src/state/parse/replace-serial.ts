import { type JsonCursor, readKeys, skipValue } from './json-cursor.ts'

/** The same state with another serial, in parts; every other byte is kept. What is no state with a serial comes back as it is. */
export const replaceSerial = (bytes: Buffer, serial: number): Buffer[] => {
  const cursor: JsonCursor = { bytes, at: 0 }
  try {
    for (const key of readKeys(cursor)) {
      const before = cursor.at
      skipValue(cursor)
      if (key === 'serial') return [bytes.subarray(0, before), Buffer.from(` ${serial}`), bytes.subarray(cursor.at)]
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  return [bytes]
}
