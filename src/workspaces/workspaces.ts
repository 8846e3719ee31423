import { changeConsumers } from './consumers/change-consumers.ts'
import { listConsumers } from './consumers/list-consumers.ts'
import { createWorkspace } from './create-workspace.ts'
import { deleteWorkspace } from './delete-workspace.ts'
import { getWorkspace } from './get-workspace.ts'
import { listWorkspaces } from './list/list-workspaces.ts'
import { loadReadable } from './load-readable.ts'
import { forceUnlockWorkspace } from './locks/force-unlock-workspace.ts'
import { lockForRun } from './locks/lock-for-run.ts'
import { lockWorkspace } from './locks/lock-workspace.ts'
import { unlockFromRun } from './locks/unlock-from-run.ts'
import { unlockWorkspace } from './locks/unlock-workspace.ts'
import { addTagToWorkspaces } from './organization-tags/add-tag-to-workspaces.ts'
import { deleteOrganizationTags } from './organization-tags/delete-organization-tags.ts'
import { listOrganizationTags } from './organization-tags/list-organization-tags.ts'
import { listLimitedWorkspaces } from './retention/list-limited-workspaces.ts'
import { workspaceRetention } from './retention/workspace-retention.ts'
import { safeDeleteWorkspace } from './safe-delete-workspace.ts'
import { addTagBindings } from './tags/add-tag-bindings.ts'
import { addTags } from './tags/add-tags.ts'
import { listEffectiveTagBindings } from './tags/list-effective-tag-bindings.ts'
import { listTagBindings } from './tags/list-tag-bindings.ts'
import { listTags } from './tags/list-tags.ts'
import { loadTagBindings } from './tags/load-tag-bindings.ts'
import { removeTags } from './tags/remove-tags.ts'
import { changeTeamAccess } from './team-access/change-team-access.ts'
import { readTeamAccess } from './team-access/read-team-access.ts'
import { updateWorkspace } from './update-workspace.ts'
import { createVariable } from './variables/create-variable.ts'
import { deleteVariable } from './variables/delete-variable.ts'
import { getVariable } from './variables/get-variable.ts'
import { listVariables } from './variables/list-variables.ts'
import { loadVariables } from './variables/load-variables.ts'
import { updateVariable } from './variables/update-variable.ts'
import type { WorkspaceDeps } from './workspace.ts'

/** Workspaces with their locks, tags, variables and remote state consumers. */
export const makeWorkspaces = (deps: WorkspaceDeps) => ({
  createWorkspace: createWorkspace(deps),
  getWorkspace: getWorkspace(deps),
  listWorkspaces: listWorkspaces(deps),
  updateWorkspace: updateWorkspace(deps),
  deleteWorkspace: deleteWorkspace(deps),
  safeDeleteWorkspace: safeDeleteWorkspace(deps),
  lockWorkspace: lockWorkspace(deps),
  unlockWorkspace: unlockWorkspace(deps),
  forceUnlockWorkspace: forceUnlockWorkspace(deps),
  lockForRun: lockForRun(deps),
  unlockFromRun: unlockFromRun(deps),
  listTags: listTags(deps),
  addTags: addTags(deps),
  removeTags: removeTags(deps),
  listTagBindings: listTagBindings(deps),
  listEffectiveTagBindings: listEffectiveTagBindings(deps),
  addTagBindings: addTagBindings(deps),
  listOrganizationTags: listOrganizationTags(deps),
  deleteOrganizationTags: deleteOrganizationTags(deps),
  addTagToWorkspaces: addTagToWorkspaces(deps),
  listConsumers: listConsumers(deps),
  changeConsumers: changeConsumers(deps),
  listVariables: listVariables(deps),
  createVariable: createVariable(deps),
  getVariable: getVariable(deps),
  updateVariable: updateVariable(deps),
  deleteVariable: deleteVariable(deps),
  retention: workspaceRetention(deps),
  /** For the job that enforces the policies. */
  listLimitedWorkspaces: listLimitedWorkspaces(deps),
  ...readTeamAccess(deps),
  ...changeTeamAccess(deps),
  loadReadable: loadReadable(deps),
  loadTagBindings: loadTagBindings(deps),
  loadVariables: loadVariables(deps),
})

export type Workspaces = ReturnType<typeof makeWorkspaces>
