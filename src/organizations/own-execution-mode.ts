import { invalid } from '../platform/errors.ts'

/** Projects inherit the execution mode: naming the inherited one is accepted, another would be forgotten silently. */
export const refuseOwnExecutionMode = (input: { defaultExecutionMode?: string | undefined }, inherited: string): void => {
  if (input.defaultExecutionMode === undefined || input.defaultExecutionMode === inherited) return
  throw invalid("Default execution mode of a project is its organization's: change it there or per workspace", 'default-execution-mode')
}
