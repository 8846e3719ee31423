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

/** A string literal of HCL: the escapes of JSON, and template marks doubled. */
export const quote = (text: string): string => {
  const json = JSON.stringify(Buffer.from(text).toString())
    // JSON has short escapes that HCL lacks.
    .replaceAll(String.raw`\b`, String.raw`\u0008`)
    .replaceAll(String.raw`\f`, String.raw`\u000c`)
  return json.replaceAll('${', '$${').replaceAll('%{', '%%{')
}
