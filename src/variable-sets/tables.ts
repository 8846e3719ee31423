import type { OrganizationTables } from '../organizations/tables.ts'
import type { Kit } from '../platform/db/kit.ts'
import { variableColumns, type WorkspaceTables } from '../workspaces/tables.ts'

type Referenced = Pick<OrganizationTables, 'organizations' | 'projects'> & Pick<WorkspaceTables, 'workspaces'>

export const variableSetTables = (k: Kit, ref: Referenced) => {
  const variableSets = k.table(
    'variable_sets',
    {
      id: k.text('id').notNull(),
      organizationId: k.text('organization_id').notNull(),
      /** The project that owns it; null: the organization does. */
      projectId: k.text('project_id'),
      /** The one of the two that owns it: names are unique in there. */
      ownerId: k.text('owner_id').notNull(),
      name: k.text('name').notNull(),
      description: k.text('description').notNull(),
      isGlobal: k.bool('is_global').notNull(),
      isPriority: k.bool('is_priority').notNull(),
      createdAt: k.time('created_at').notNull(),
      updatedAt: k.time('updated_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'variable_sets_pk', columns: [t.id] }),
      k.uniqueIndex('variable_sets_name_key').on(t.ownerId, t.name),
      k.index('variable_sets_organization_idx').on(t.organizationId, t.name),
      k
        .foreignKey({ name: 'variable_sets_organization_fk', columns: [t.organizationId], foreignColumns: [ref.organizations.id] })
        .onDelete('cascade'),
      k.foreignKey({ name: 'variable_sets_project_fk', columns: [t.projectId], foreignColumns: [ref.projects.id] }).onDelete('cascade'),
    ],
  )
  const variableSetWorkspaces = k.table(
    'variable_set_workspaces',
    { variableSetId: k.text('variable_set_id').notNull(), workspaceId: k.text('workspace_id').notNull() },
    (t) => [
      k.primaryKey({ name: 'variable_set_workspaces_pk', columns: [t.variableSetId, t.workspaceId] }),
      k.index('variable_set_workspaces_workspace_idx').on(t.workspaceId),
      k
        .foreignKey({ name: 'variable_set_workspaces_set_fk', columns: [t.variableSetId], foreignColumns: [variableSets.id] })
        .onDelete('cascade'),
      k
        .foreignKey({ name: 'variable_set_workspaces_workspace_fk', columns: [t.workspaceId], foreignColumns: [ref.workspaces.id] })
        .onDelete('cascade'),
    ],
  )
  const variableSetProjects = k.table(
    'variable_set_projects',
    { variableSetId: k.text('variable_set_id').notNull(), projectId: k.text('project_id').notNull() },
    (t) => [
      k.primaryKey({ name: 'variable_set_projects_pk', columns: [t.variableSetId, t.projectId] }),
      k.index('variable_set_projects_project_idx').on(t.projectId),
      k
        .foreignKey({ name: 'variable_set_projects_set_fk', columns: [t.variableSetId], foreignColumns: [variableSets.id] })
        .onDelete('cascade'),
      k
        .foreignKey({ name: 'variable_set_projects_project_fk', columns: [t.projectId], foreignColumns: [ref.projects.id] })
        .onDelete('cascade'),
    ],
  )
  const variableSetVariables = k.table(
    'variable_set_variables',
    {
      id: k.text('id').notNull(),
      variableSetId: k.text('variable_set_id').notNull(),
      ...variableColumns(k),
    },
    (t) => [
      k.primaryKey({ name: 'variable_set_variables_pk', columns: [t.id] }),
      k.uniqueIndex('variable_set_variables_key').on(t.variableSetId, t.key, t.category),
      k
        .foreignKey({ name: 'variable_set_variables_set_fk', columns: [t.variableSetId], foreignColumns: [variableSets.id] })
        .onDelete('cascade'),
    ],
  )
  return { variableSets, variableSetWorkspaces, variableSetProjects, variableSetVariables }
}

export type VariableSetTables = ReturnType<typeof variableSetTables>
