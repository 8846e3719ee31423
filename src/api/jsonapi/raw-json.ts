import { randomBase58 } from '../../platform/ids.ts'

/** Stands for JSON text in a document until `restoreRawJson`; nobody outside can guess it. */
const MARK = `raw:${randomBase58(32)}:`

export type RawJson = { toJSON(): string }

/** An attribute given as JSON text that is sent as it is: JavaScript would round large numbers. The text must be well formed. */
export const rawJson = (text: string): RawJson => ({ toJSON: () => MARK + text })

const OPENING = `"${MARK}`

/** Puts the texts given to `rawJson` into the serialized document. */
export const restoreRawJson = (document: string): string => {
  let out = ''
  let at = 0
  for (let start = document.indexOf(OPENING); start >= 0; start = document.indexOf(OPENING, at)) {
    let end = start + OPENING.length
    while (document[end] !== '"') end += document[end] === '\\' ? 2 : 1
    // safe because this is the literal that JSON.stringify made of the string of `toJSON`
    const text = JSON.parse(document.slice(start, end + 1)) as string
    out += document.slice(at, start) + text.slice(MARK.length)
    at = end + 1
  }
  return out + document.slice(at)
}
