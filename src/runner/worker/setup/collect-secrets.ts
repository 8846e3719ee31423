import type { Variable } from '../../gen/runner/v1/runner.ts'
import { isMaskable } from '../mask/secret-forms.ts'

export type CollectedSecrets = { secrets: string[]; notices: string[] }

/** Everything to hide in output: sensitive values, for HCL also the strings in them, and what the platform asks for. Pure. */
export const collectSecrets = (variables: readonly Variable[], redact: readonly string[]): CollectedSecrets => {
  const sensitive = variables.filter((variable) => variable.sensitive)
  const notices = sensitive
    .filter(({ value }) => value !== '' && !isMaskable(value))
    .map(({ key }) => `The value of the sensitive variable ${key} is too short or too common to be hidden in logs.`)
  return {
    secrets: [
      ...sensitive.flatMap((variable) => (variable.hcl ? [variable.value, ...hclStrings(variable.value)] : [variable.value])),
      ...redact,
    ],
    notices,
  }
}

/** String literals of an expression that are no keys of an object: hiding those would blacken ordinary words. */
const hclStrings = (expression: string): string[] =>
  [...expression.matchAll(/"([^"\\]*(?:\\.[^"\\]*)*)"(\s*(?:=(?!=)|:))?/g)].flatMap(([, inner = '', isKey]) =>
    isKey === undefined ? [inner, unescaped(inner)] : [],
  )

const unescaped = (inner: string): string => {
  try {
    return String(JSON.parse(`"${inner}"`))
  } catch {
    return inner
  }
}
