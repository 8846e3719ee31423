import type { z } from 'zod'
import { AppError, type ErrorSource } from '../../platform/errors.ts'
import { kebab } from '../wire-keys.ts'

type RawIssue = z.core.$ZodRawIssue

/**
 * Parses, or throws: one AppError, or an AggregateError of them when several values were refused. Messages given in the schema
 * (`z.string({ error: '…' })`, `refine`) are shown as they are; all others read like `Terraform version must be a string`.
 */
export const parseWith = <S extends z.ZodType>(
  schema: S,
  value: unknown,
  sourceOf: (path: readonly PropertyKey[]) => ErrorSource,
  code: 'INVALID' | 'BAD_REQUEST' = 'INVALID',
): z.output<S> => {
  const result = schema.safeParse(value, { error: sentence })
  if (result.success) return result.data
  const errors = result.error.issues.map((issue) => new AppError(code, issue.message, { source: sourceOf(issue.path) }))
  throw errors.length === 1 ? errors[0] : new AggregateError(errors)
}

const sentence = (issue: RawIssue): string => `${label(issue.path ?? [])} ${complaint(issue)}`

const label = (path: readonly PropertyKey[]): string => {
  const name = path.findLast((part) => typeof part === 'string')
  if (name === undefined) return 'The value'
  if (name.includes('[')) return name
  const words = kebab(name).replaceAll(/[-_]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}

const complaint = (issue: RawIssue): string => {
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return "can't be blank"
    return `must be ${TYPE_NAMES[issue.expected] ?? `of type ${issue.expected}`}`
  }
  if (issue.code === 'too_small') {
    if (issue.origin === 'string') return issue.minimum === 1 ? "can't be blank" : `is too short (minimum is ${issue.minimum} characters)`
    return issue.origin === 'array' ? `must have at least ${issue.minimum} entries` : `must be at least ${issue.minimum}`
  }
  if (issue.code === 'too_big') {
    if (issue.origin === 'string') return `is too long (maximum is ${issue.maximum} characters)`
    return issue.origin === 'array' ? `must have at most ${issue.maximum} entries` : `must be at most ${issue.maximum}`
  }
  if (issue.code === 'invalid_value') return issue.input === undefined ? "can't be blank" : `must be one of: ${issue.values.join(', ')}`
  return 'is invalid'
}
