import { buildAutomaton } from './build-automaton.ts'
import { makeMaskStream, type MaskStream } from './make-mask-stream.ts'
import { secretForms } from './secret-forms.ts'

export type Mask = {
  stream(): MaskStream
  text(text: string): string
}

/** Hides the given secrets, in all their forms, in bytes and texts. */
export const makeMask = (secrets: Iterable<string>): Mask => {
  const forms = new Set([...secrets].flatMap(secretForms))
  const automaton = buildAutomaton([...forms].map((form) => Buffer.from(form)))
  const stream = (): MaskStream => makeMaskStream(automaton)
  return {
    stream,
    text: (text) => {
      const mask = stream()
      return Buffer.concat([mask.write(Buffer.from(text)), mask.end()]).toString('utf8')
    },
  }
}
