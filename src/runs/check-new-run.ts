import { lt } from 'semver'
import type { EngineName } from '../platform/engine-name.ts'
import { invalid } from '../platform/errors.ts'
import { isBackingDataDeleted } from '../state/index.ts'
import type { WorkspaceRow } from '../workspaces/index.ts'
import type { ConfigurationVersionRow } from './run.ts'
import type { CreateRun } from './schemas.ts'

type Facts = {
  isPlanOnly: boolean
  executionMode: string | undefined
  workspace: Pick<WorkspaceRow, 'allowDestroyPlan'>
  configuration: Pick<ConfigurationVersionRow, 'status' | 'errorMessage'>
  engine: EngineName
  /** Exact. */
  terraformVersion: string
}

/** The first with `terraform plan -invoke`. */
const ACTIONS_SINCE = '1.14.0'

/** Throws INVALID when the workspace, the configuration or the attributes among themselves forbid the run. */
export const checkNewRun = (input: CreateRun, { isPlanOnly, executionMode, workspace, configuration, ...program }: Facts): void => {
  if (executionMode === 'local') {
    throw invalid(
      'Runs cannot be created in a workspace whose execution mode is local. Change the execution mode to remote.',
      'execution-mode',
    )
  }
  if (configuration.status === 'errored')
    throw invalid(`Configuration version cannot be used: ${configuration.errorMessage ?? 'its upload failed'}`)
  if (configuration.status === 'archived') throw invalid('Configuration version is archived')
  if (isBackingDataDeleted(configuration.status)) throw invalid('Configuration version cannot be used: its stored files were deleted')
  if (input.isDestroy === true && input.refreshOnly === true)
    throw invalid('A run cannot be both is-destroy and refresh-only', 'is-destroy')
  if (input.isDestroy === true && !workspace.allowDestroyPlan)
    throw invalid('Destroy plans are not allowed in this workspace. Allow them in its settings.', 'is-destroy')
  if (input.refreshOnly === true && input.refresh === false) throw invalid('A refresh-only run cannot skip the refresh', 'refresh')
  if (input.terraformVersion !== undefined && input.terraformVersion !== null && !isPlanOnly) {
    throw invalid('Terraform version can be set for plan-only runs only', 'terraform-version')
  }
  if (isPlanOnly && input.savePlan === true) throw invalid('A plan-only run has no plan to save', 'save-plan')
  checkActions(input, program)
}

const checkActions = (
  { invokeActionAddrs, isDestroy, targetAddrs }: CreateRun,
  { engine, terraformVersion }: Pick<Facts, 'engine' | 'terraformVersion'>,
): void => {
  const actions = invokeActionAddrs ?? []
  if (actions.length === 0) return
  if (actions.length > 1) throw invalid('A run invokes one action', 'invoke-action-addrs')
  if (isDestroy === true || (targetAddrs ?? []).length > 0)
    throw invalid('A run that invokes an action can neither destroy nor have targets', 'invoke-action-addrs')
  if (engine !== 'terraform' || lt(terraformVersion, ACTIONS_SINCE))
    throw invalid(`Actions need terraform ${ACTIONS_SINCE} or newer; this run has ${engine} ${terraformVersion}`, 'invoke-action-addrs')
}
