import type { StateResource } from '../tables.ts'
import { cleanText } from './clean-text.ts'
import { type JsonCursor, readKeys, readText, readValue, skipValue } from './json-cursor.ts'
import { type ParsedOutput, parseOutputs } from './parse-outputs.ts'
import { type ParsedResource, parseResources } from './parse-resources.ts'
import { summarizeResources } from './summarize-resources.ts'

export type ParsedState = {
  terraformVersion: string | undefined
  lineage: string | undefined
  outputs: ParsedOutput[]
  resources: StateResource[]
  modules: Record<string, Record<string, number>>
  providers: Record<string, Record<string, number>>
  managedCount: number
  billableCount: number
}

/** Format of the states of Terraform since 0.12; we look into no other. */
export const STATE_FORMAT = 4

const readString = (cursor: JsonCursor): string | undefined => {
  const value = readValue(cursor)
  return typeof value === 'string' ? cleanText(value) : undefined
}

function* parse(bytes: Buffer): Generator<void, ParsedState | undefined> {
  const cursor: JsonCursor = { bytes, at: 0 }
  let format: string | undefined
  let terraformVersion: string | undefined
  let lineage: string | undefined
  let outputs: ParsedOutput[] = []
  let resources: ParsedResource[] = []
  for (const key of readKeys(cursor)) {
    if (key === 'version') format = readText(cursor)
    else if (key === 'terraform_version') terraformVersion = readString(cursor)
    else if (key === 'lineage') lineage = readString(cursor)
    else if (key === 'outputs') outputs = yield* parseOutputs(cursor)
    else if (key === 'resources') resources = yield* parseResources(cursor)
    else skipValue(cursor)
  }
  if (format !== String(STATE_FORMAT)) return undefined
  return { terraformVersion, lineage, outputs, ...summarizeResources(resources) }
}

/**
 * What the server shows of a state. Undefined for what is no state of format 4: broken, encrypted or foreign bytes are stored all the
 * same. A generator because states may be large: see `inSlices`.
 */
export function* parseState(bytes: Buffer): Generator<void, ParsedState | undefined> {
  try {
    return yield* parse(bytes)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
