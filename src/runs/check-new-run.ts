import { invalid } from '../platform/errors.ts'
import type { WorkspaceRow } from '../workspaces/index.ts'
import type { ConfigurationVersionRow } from './run.ts'
import type { CreateRun } from './schemas.ts'

type Facts = {
  isPlanOnly: boolean
  executionMode: string | undefined
  workspace: Pick<WorkspaceRow, 'allowDestroyPlan'>
  configuration: Pick<ConfigurationVersionRow, 'status' | 'errorMessage'>
}

/** Throws INVALID when the workspace, the configuration or the attributes among themselves forbid the run. */
export const checkNewRun = (input: CreateRun, { isPlanOnly, executionMode, workspace, configuration }: Facts): void => {
  if (executionMode === 'local') {
    throw invalid(
      'Runs cannot be created in a workspace whose execution mode is local. Change the execution mode to remote.',
      'execution-mode',
    )
  }
  if (configuration.status === 'errored')
    throw invalid(`Configuration version cannot be used: ${configuration.errorMessage ?? 'its upload failed'}`)
  if (configuration.status === 'archived') throw invalid('Configuration version is archived')
  if (input.isDestroy === true && input.refreshOnly === true)
    throw invalid('A run cannot be both is-destroy and refresh-only', 'is-destroy')
  if (input.isDestroy === true && !workspace.allowDestroyPlan)
    throw invalid('Destroy plans are not allowed in this workspace. Allow them in its settings.', 'is-destroy')
  if (input.refreshOnly === true && input.refresh === false) throw invalid('A refresh-only run cannot skip the refresh', 'refresh')
  if (input.terraformVersion !== undefined && input.terraformVersion !== null && !isPlanOnly) {
    throw invalid('Terraform version can be set for plan-only runs only', 'terraform-version')
  }
  if (isPlanOnly && input.savePlan === true) throw invalid('A plan-only run has no plan to save', 'save-plan')
}
