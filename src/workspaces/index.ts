export { allowedAmong } from './allowed-among.ts'
export { workspaceEndpoints } from './endpoints.ts'
export { findAllowed } from './find-allowed.ts'
export { workspaceIncludes } from './includes.ts'
export { workspaceLoaders } from './loaders.ts'
export { lockAllowed } from './lock-allowed.ts'
export { holdsLock } from './locks/lock-holder.ts'
export { makeOrganizationPorts } from './organization-ports.ts'
export type { CurrentRunSql, EngineVersions, StateOf, WorkspacePorts } from './ports.ts'
export { findWorkspace, lockWorkspaceRow, updateWorkspaceRow } from './queries.ts'
export { workspaceResource } from './resource.ts'
export { workspaceType } from './resource-types.ts'
export type { RunFigures } from './tables.ts'
export { changedVariable } from './variables/changed-variable.ts'
export { orKeyTaken } from './variables/key-taken.ts'
export { newVariable } from './variables/new-variable.ts'
export { listVariableRows } from './variables/queries.ts'
export { variableAttributes, variableResource, variableType } from './variables/resource.ts'
export { CreateVariable, UpdateVariable } from './variables/schemas.ts'
export type { NewVariable, VariableUpdate } from './variables/schemas.ts'
export { openVariable, toVariable } from './variables/variable.ts'
export type { Variable, VariableFields } from './variables/variable.ts'
export { executionModeOf } from './workspace.ts'
export type {
  UsedTables,
  VariableRow,
  Workspace,
  WorkspaceReader,
  WorkspaceRef,
  WorkspaceRow,
  WorkspaceTx,
  WorkspaceView,
} from './workspace.ts'
export { makeWorkspaces } from './workspaces.ts'
export type { Workspaces } from './workspaces.ts'
