import { type Resource, linkMany, linkOne } from '../api/index.ts'
import type { Permission } from './permissions/permission.ts'
import type { Project } from './project.ts'
import { projectType } from './resource-types.ts'

/** `permissions`: what the caller may do in its organization. */
export const projectResource = (
  project: Project,
  permissions: ReadonlySet<Permission>,
  workspaceCount: number,
  bindingIds: readonly string[],
): Resource =>
  projectType.of({
    id: project.id,
    attributes: {
      name: project.name,
      description: project.description === '' ? null : project.description,
      'created-at': project.createdAt,
      'workspace-count': workspaceCount,
      'team-count': 0,
      'is-unified': false,
      'auto-destroy-activity-duration': null,
      'default-execution-mode': project.defaultExecutionMode,
      'setting-overwrites': { 'default-execution-mode': false, 'default-agent-pool': false },
      permissions: {
        'can-read': permissions.has('project:read'),
        'can-update': permissions.has('project:update'),
        'can-destroy': permissions.has('project:delete') && !project.isDefault,
        'can-create-workspace': permissions.has('workspace:create'),
        'can-move-workspace': permissions.has('workspace:update'),
        'can-read-teams': false,
        'can-manage-teams': false,
        'can-manage-varsets': permissions.has('variable-set:write'),
      },
    },
    relationships: {
      organization: linkOne('organizations', project.organizationName),
      'default-agent-pool': linkOne('agent-pools', null),
      'tag-bindings': linkMany('tag-bindings', bindingIds, `/api/v2/projects/${project.id}/tag-bindings`),
      'effective-tag-bindings': linkMany('effective-tag-bindings', bindingIds, `/api/v2/projects/${project.id}/effective-tag-bindings`),
    },
    links: { self: `/api/v2/projects/${project.id}` },
  })
