import { acceptSubscription } from './accept-subscription.ts'
import { createOrganization } from './create-organization.ts'
import { createProject } from './create-project.ts'
import { deleteOrganization } from './delete-organization.ts'
import { deleteProject } from './delete-project.ts'
import type { OrganizationDeps } from './deps.ts'
import { getCapacity } from './get-capacity.ts'
import { findOrganizationById, getOrganization } from './get-organization.ts'
import { getProject } from './get-project.ts'
import { listOrganizations } from './list-organizations.ts'
import { listProjects, readableProjects } from './list-projects.ts'
import { manageTokens } from './manage-tokens.ts'
import { authorizeTokens } from './permissions/authorize-tokens.ts'
import { makeAuthorize } from './permissions/authorize.ts'
import { readableOrganizations } from './readable-organizations.ts'
import { organizationRetention } from './retention/organization-retention.ts'
import { projectBindings } from './tags/project-bindings.ts'
import { makeTeams } from './teams/teams.ts'
import { updateOrganization } from './update-organization.ts'
import { updateProject } from './update-project.ts'

/** Organizations, their projects and tokens, and who may do what. */
export const makeOrganizations = (d: OrganizationDeps) => {
  const { authorize, permissionsOf, workspaceGrants } = makeAuthorize(d)
  const mayManageTokens = authorizeTokens(authorize)
  const get = getOrganization(d, authorize)
  const getOneProject = getProject(d, permissionsOf, workspaceGrants)
  const teams = makeTeams(d, get, permissionsOf)
  return {
    authorize,
    permissionsOf,
    workspaceGrants,
    authorizeTokens: mayManageTokens,
    createOrganization: createOrganization(d),
    getOrganization: get,
    findOrganizationById: findOrganizationById(d),
    listOrganizations: listOrganizations(d, permissionsOf),
    readableOrganizations: readableOrganizations(d, permissionsOf),
    updateOrganization: updateOrganization(d, get),
    deleteOrganization: deleteOrganization(d, get),
    acceptSubscription: acceptSubscription(d),
    getCapacity: getCapacity(d, get),
    ...manageTokens(d, get, mayManageTokens),
    createProject: createProject(d, get),
    getProject: getOneProject,
    listProjects: listProjects(d, get, permissionsOf, workspaceGrants),
    readableProjects: readableProjects(d, permissionsOf, workspaceGrants),
    updateProject: updateProject(d, getOneProject),
    deleteProject: deleteProject(d, getOneProject),
    ...projectBindings(d, getOneProject, permissionsOf),
    teams,
    retention: organizationRetention(d, get),
    workspaceCounts: (projectIds: readonly string[]) => d.workspaceCounts(projectIds),
  }
}

export type Organizations = ReturnType<typeof makeOrganizations>
