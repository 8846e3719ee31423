import { stripVTControlCharacters } from 'node:util'
import type { ChangeSummary, ResourceProgress } from '../../gen/runner/v1/runner.ts'

/** What the output of a command tells besides its text. */
export type Observation = {
  summary: ChangeSummary | undefined
  /** Messages of errors, the first few; not masked. */
  errors: string[]
}

const MAX_ERRORS = 10
const MAX_ERROR_LENGTH = 4000

/**
 * Reads a line of the engine's output, JSON or text. Sources: Terraform 1.11 `internal/command/views/json` (types
 * change_summary, diagnostic, apply_start, apply_progress, apply_complete, apply_errored) and the texts of `views/operation.go`.
 */
export const observeLine = (line: string, observation: Observation): ResourceProgress | undefined => {
  if (!line.startsWith('{')) {
    observeText(stripVTControlCharacters(line), observation)
    return undefined
  }
  const message = parse(line)
  if (message === undefined) return undefined
  if (message.type === 'change_summary' && message.changes !== undefined) observation.summary = summaryOf(message.changes)
  if (message.type === 'diagnostic' && message.diagnostic?.severity === 'error') {
    const { summary = '', detail = '' } = message.diagnostic
    addError(observation, detail === '' ? summary : `${summary}: ${detail}`)
  }
  return progressOf(message)
}

type Message = {
  type?: string
  changes?: Record<string, unknown>
  diagnostic?: { severity?: string; summary?: string; detail?: string }
  hook?: { resource?: { addr?: string }; action?: string; id_key?: string; id_value?: string }
}

const parse = (line: string): Message | undefined => {
  try {
    return JSON.parse(line) as Message
  } catch {
    return undefined
  }
}

const summaryOf = (changes: Record<string, unknown>): ChangeSummary => ({
  add: count(changes['add']),
  change: count(changes['change']),
  remove: count(changes['remove']),
  import: count(changes['import']),
})

const STATES: Record<string, string> = { apply_start: 'start', apply_complete: 'complete', apply_errored: 'errored' }

const progressOf = ({ type, hook }: Message): ResourceProgress | undefined => {
  const state = STATES[type ?? '']
  if (state === undefined || hook === undefined) return undefined
  return { address: hook.resource?.addr ?? '', action: hook.action ?? '', state, idKey: hook.id_key ?? '', idValue: hook.id_value ?? '' }
}

const observeText = (line: string, observation: Observation): void => {
  if (/^(Plan:|Apply complete!|Destroy complete!)/.test(line)) {
    const number = (pattern: RegExp): number => count(pattern.exec(line)?.[1])
    observation.summary = {
      add: number(/(\d+) (?:to add|added)/),
      change: number(/(\d+) (?:to change|changed)/),
      remove: number(/(\d+) (?:to destroy|destroyed)/),
      import: number(/(\d+) (?:to import|imported)/),
    }
  }
  const error = /^(?:│ )?Error: (.*)/.exec(line)
  if (error !== null) addError(observation, error[1] ?? '')
}

const addError = (observation: Observation, text: string): void => {
  if (observation.errors.length < MAX_ERRORS) observation.errors.push(text.slice(0, MAX_ERROR_LENGTH))
}

const count = (value: unknown): number => {
  const number = Number(value)
  return Number.isInteger(number) && number > 0 ? number : 0
}
