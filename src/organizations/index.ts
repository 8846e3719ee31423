export { organizationEndpoints, organizationLoaders } from './endpoints.ts'
export type { OrganizationPorts } from './deps.ts'
export type { Organization } from './organization.ts'
export { makeOrganizations } from './organizations.ts'
export type { Organizations } from './organizations.ts'
export type { Authorize, GrantsOf, PermissionsOf, SharesState, WorkspaceGrant, WorkspaceGrants } from './permissions/authorize.ts'
export type { Permission } from './permissions/permission.ts'
export type { Teams } from './teams/teams.ts'
export { accessLevels, detailsOf } from './permissions/workspace-access.ts'
export type { AccessDetails, WorkspaceAccess } from './permissions/workspace-access.ts'
export type { Project } from './project.ts'
export { linkRetentionPolicy } from './retention/resource.ts'
export { retentionEndpoints } from './retention/retention-endpoints.ts'
export { nextPolicy } from './retention/retention-policy.ts'
export type { RetentionPolicy } from './tables.ts'
export { bindingLimit, decideBindings, flatTagLimit } from './tags/decide-bindings.ts'
export type { BindingChanges, WantedBinding } from './tags/decide-bindings.ts'
export { parseTagged } from './tags/parse-tagged.ts'
export type { Tagged } from './tags/parse-tagged.ts'
export { listProjectBindings } from './tags/queries.ts'
export type { ProjectBinding } from './tags/queries.ts'
export { readBindings } from './tags/read-bindings.ts'
export {
  effectiveTagBindingResource,
  effectiveTagBindingType,
  inheritedIdOf,
  inheritedTagBindingResource,
  tagBindingResource,
  tagBindingType,
} from './tags/resource.ts'
export { checkTagKey } from './tags/tag-rules.ts'
