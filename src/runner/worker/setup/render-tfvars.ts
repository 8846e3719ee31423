import { ErrorCode, type Variable } from '../../gen/runner/v1/runner.ts'
import { StepError } from '../step-error.ts'

/**
 * Contents of the variables file: one assignment per line, so that an error of the engine quotes no more than one value.
 * HCL values are written as they are. Throws StepError `CONFIG_INVALID` for a name that is no identifier.
 */
export const renderTfvars = (variables: readonly Variable[]): string => variables.map((variable) => `${assignment(variable)}\n`).join('')

const assignment = ({ key, value, hcl }: Variable): string => {
  if (!/^[\p{ID_Start}_][\p{ID_Continue}-]*$/u.test(key))
    throw new StepError(
      ErrorCode.CONFIG_INVALID,
      `The terraform variable name ${JSON.stringify(key)} is not valid: use letters, digits, "_" and "-", and begin with a letter.`,
    )
  return `${key} = ${hcl ? value : quote(value)}`
}

/** A string literal of HCL: the escapes of JSON where HCL has them, template marks doubled, what nobody can see by number. */
export const quote = (text: string): string => {
  const escaped = Buffer.from(text)
    .toString()
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`)
    .replaceAll('\t', String.raw`\t`)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => String.raw`\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`)
  return `"${escaped.replaceAll('${', () => '$${').replaceAll('%{', '%%{')}"`
}
