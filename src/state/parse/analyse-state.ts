import type { StateVersion } from '../state-version.ts'
import { inSlices } from './in-slices.ts'
import type { ParsedOutput } from './parse-outputs.ts'
import { STATE_FORMAT, parseState } from './parse-state.ts'

/** What the bytes of a state say: columns of its version, and its outputs. */
export type Analysis = { columns: Partial<StateVersion>; lineage: string | undefined; outputs: ParsedOutput[] }

/** What is known of a state that we cannot look into: nothing. */
export const noAnalysis: Analysis = { columns: { areResourcesProcessed: true }, lineage: undefined, outputs: [] }

/** Looks into a state without holding up other requests. */
export const analyseState = async (bytes: Buffer): Promise<Analysis> => {
  const parsed = await inSlices(parseState(bytes))
  if (parsed === undefined) return noAnalysis
  const { lineage, outputs, managedCount, billableCount, terraformVersion, resources, modules, providers } = parsed
  return {
    columns: {
      areResourcesProcessed: true,
      formatVersion: STATE_FORMAT,
      terraformVersion: terraformVersion ?? null,
      resources,
      modules,
      providers,
      managedCount,
      billableCount,
    },
    lineage,
    outputs,
  }
}
