import { invalid } from '../../platform/errors.ts'
import type { ExecutionMode } from '../workspace.ts'
import type { UpdateWorkspace } from './schemas.ts'

type Input = Pick<UpdateWorkspace, 'executionMode' | 'operations' | 'agentPoolId' | 'settingOverwrites'>

/**
 * The own execution mode after the request, null when it is inherited. Giving a mode makes it an own one, unless
 * `setting-overwrites` says otherwise. Throws INVALID for combinations that contradict each other, and for agents: there are no pools yet.
 */
export const decideExecutionMode = (own: ExecutionMode | null, inherited: ExecutionMode, input: Input): ExecutionMode | null => {
  const { executionMode, operations, agentPoolId, settingOverwrites } = input
  const overwrites = [settingOverwrites?.executionMode, settingOverwrites?.agentPool].filter(isGiven)

  if (isGiven(executionMode) && isGiven(operations)) {
    throw invalid('operations is deprecated and cannot be specified when execution mode is used', 'operations')
  }
  if (new Set(overwrites).size > 1) {
    throw invalid(
      'If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same.',
      'setting-overwrites',
    )
  }
  if (executionMode === 'agent') {
    if (!isGiven(agentPoolId)) throw invalid("Agent pool must be specified when using 'agent' execution mode", 'agent-pool-id')
    throw invalid('The provided agent pool does not exist: this server has no agent pools yet', 'agent-pool-id')
  }
  if (isGiven(agentPoolId)) throw invalid("Agent pool must not be specified unless using 'agent' execution mode", 'agent-pool-id')

  const [overwrite] = overwrites
  const asked = executionMode ?? (isGiven(operations) ? (operations ? 'remote' : 'local') : executionMode)
  if (overwrite === false || asked === null) return null
  return asked ?? own ?? (overwrite === true ? inherited : null)
}

const isGiven = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined
