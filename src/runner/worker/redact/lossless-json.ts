import { randomBytes } from 'node:crypto'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/**
 * Parses JSON, lets `change` make another value of it, and writes that one. Numbers that JavaScript cannot hold exactly
 * (12345678901234567890, 1.0, 1e400) go through as marked strings, so their text is the same afterwards.
 * Throws SyntaxError for what is not JSON.
 */
export const rewriteJson = (text: string, change: (value: Json) => Json): string => {
  // Random, so that no string of the document can pass for a marked number.
  const mark = `number-${randomBytes(12).toString('hex')}:`
  const value = change(JSON.parse(markNumbers(text, mark)) as Json)
  return JSON.stringify(value).replaceAll(new RegExp(`"${mark}([-+.0-9eE]+)"`, 'g'), '$1')
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y

const markNumbers = (text: string, mark: string): string => {
  const out: string[] = []
  let from = 0
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      at = endOfString(text, at)
      continue
    }
    if (code !== 0x2d && (code < 0x30 || code > 0x39)) {
      at += 1
      continue
    }
    NUMBER.lastIndex = at
    const number = NUMBER.exec(text)?.[0] ?? text.charAt(at)
    if (String(Number(number)) !== number) {
      out.push(text.slice(from, at), `"${mark}${number}"`)
      from = at + number.length
    }
    at += number.length
  }
  out.push(text.slice(from))
  return out.join('')
}

const endOfString = (text: string, start: number): number => {
  for (let at = start + 1; ; at++) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return text.length
    let slashes = 0
    while (text.charCodeAt(quote - 1 - slashes) === 0x5c) slashes += 1
    if (slashes % 2 === 0) return quote + 1
    at = quote
  }
}
