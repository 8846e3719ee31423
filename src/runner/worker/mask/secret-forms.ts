import { quote } from '../setup/render-tfvars.ts'

const MIN_LENGTH = 4
const MIN_LINE_LENGTH = 6
/** Shorter ones have too little left at each of the three alignments. */
const MIN_BASE64_BYTES = 8

/** False for what would blacken half of a log and so tell more than it hides: short values, booleans, null, small numbers. */
export const isMaskable = (value: string): boolean =>
  value.trim().length >= MIN_LENGTH && !['true', 'false', 'null'].includes(value.trim()) && !/^\s*-?\d{1,5}(\.\d*)?\s*$/.test(value)

/**
 * The shapes in which a secret shows up in output: as it is, by line, as JSON and HCL write it, both once more in JSON, URL-encoded,
 * and in base64 at each of the three alignments. Empty when it is not maskable.
 */
export const secretForms = (secret: string): string[] => {
  // A lone surrogate reaches no output as such, and cannot be URL-encoded.
  const value = Buffer.from(secret).toString()
  if (!isMaskable(value)) return []
  const lines = value.includes('\n') ? value.split('\n').map((line) => line.trim()) : []
  const parts = [value, value.trim(), ...lines.filter((line) => line.length >= MIN_LINE_LENGTH && isMaskable(line))]
  return [...new Set([...parts.flatMap(writtenForms), ...base64Forms(value)])]
}

const writtenForms = (text: string): string[] => {
  const plain = [
    text,
    json(text),
    json(text)
      .replaceAll('${', () => '$${')
      .replaceAll('%{', '%%{'),
    quote(text).slice(1, -1),
  ]
  const url = encodeURIComponent(text)
  // A log of JSON lines quotes commands and lines of configuration, which have quoted the value before.
  return [...plain, ...plain.map(json), ...plain.map(goJson), url, url.replaceAll('%20', '+')]
}

const json = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Go's encoder also escapes these three. */
const goJson = (text: string): string =>
  json(text)
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('>', String.raw`\u003e`)
    .replaceAll('&', String.raw`\u0026`)

const base64Forms = (text: string): string[] => {
  const bytes = Buffer.from(text)
  if (bytes.length < MIN_BASE64_BYTES) return []
  return [0, 1, 2].flatMap((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes])
    // Digits that also hold bits of a neighbour are left out.
    const from = Math.ceil((shift * 8) / 6)
    const to = Math.floor((whole.length * 8) / 6)
    return [whole.toString('base64').slice(from, to), whole.toString('base64url').slice(from, to)]
  })
}
