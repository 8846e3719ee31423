import type { AccountTables } from '../accounts/tables.ts'
import type { Kit } from '../platform/db/kit.ts'
import type { organizationAccess } from './permissions/organization-access.ts'

/** How long stored files of state and configuration versions are kept after their creation; no days: for ever. `id` is `drp-…`. */
export type RetentionPolicy = { id: string; deleteOlderThanDays: number | null }

/** What a team may do in the whole organization: names as on the wire. */
export type OrganizationAccess = (typeof organizationAccess)[number]

export type { WorkspaceAccess } from './permissions/workspace-access.ts'

export const organizationTables = (k: Kit, ref: Pick<AccountTables, 'users'>) => {
  const organizations = k.table(
    'organizations',
    {
      id: k.text('id').notNull(),
      name: k.text('name').notNull(),
      /** Lower case of the name; unique. */
      nameKey: k.text('name_key').notNull(),
      email: k.text('email').notNull(),
      defaultExecutionMode: k.text('default_execution_mode').$type<'remote' | 'local'>().notNull(),
      userTokensEnabled: k.bool('user_tokens_enabled').notNull(),
      allowForceDeleteWorkspaces: k.bool('allow_force_delete_workspaces').notNull(),
      /** Settings that are kept and echoed, and that nothing else in the product reads yet. */
      settings: k.json<Record<string, string | number | boolean | null>>('settings').notNull(),
      /** Of the workspaces that have none of their own; null: everything is kept. */
      retention: k.json<RetentionPolicy>('retention'),
      createdAt: k.time('created_at').notNull(),
      updatedAt: k.time('updated_at').notNull(),
    },
    (t) => [k.primaryKey({ name: 'organizations_pk', columns: [t.id] }), k.uniqueIndex('organizations_name_key').on(t.nameKey)],
  )
  const memberships = k.table(
    'organization_memberships',
    {
      id: k.text('id').notNull(),
      organizationId: k.text('organization_id').notNull(),
      userId: k.text('user_id').notNull(),
      role: k.text('role').$type<'owner' | 'member'>().notNull(),
      createdAt: k.time('created_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'organization_memberships_pk', columns: [t.id] }),
      k.uniqueIndex('organization_memberships_user_key').on(t.organizationId, t.userId),
      k.index('organization_memberships_user_idx').on(t.userId),
      k
        .foreignKey({ name: 'organization_memberships_organization_fk', columns: [t.organizationId], foreignColumns: [organizations.id] })
        .onDelete('cascade'),
      k.foreignKey({ name: 'organization_memberships_user_fk', columns: [t.userId], foreignColumns: [ref.users.id] }).onDelete('cascade'),
    ],
  )
  const projects = k.table(
    'projects',
    {
      id: k.text('id').notNull(),
      organizationId: k.text('organization_id').notNull(),
      name: k.text('name').notNull(),
      nameKey: k.text('name_key').notNull(),
      description: k.text('description').notNull(),
      isDefault: k.bool('is_default').notNull(),
      createdAt: k.time('created_at').notNull(),
      updatedAt: k.time('updated_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'projects_pk', columns: [t.id] }),
      k.uniqueIndex('projects_name_key').on(t.organizationId, t.nameKey),
      k
        .foreignKey({ name: 'projects_organization_fk', columns: [t.organizationId], foreignColumns: [organizations.id] })
        .onDelete('cascade'),
    ],
  )
  /** Key/value tags, which the workspaces of the project inherit. `position` keeps the order of adding. */
  const projectTagBindings = k.table(
    'project_tag_bindings',
    {
      id: k.text('id').notNull(),
      projectId: k.text('project_id').notNull(),
      key: k.text('key').notNull(),
      value: k.text('value').notNull(),
      position: k.int('position').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'project_tag_bindings_pk', columns: [t.id] }),
      k.uniqueIndex('project_tag_bindings_key').on(t.projectId, t.key),
      k.foreignKey({ name: 'project_tag_bindings_project_fk', columns: [t.projectId], foreignColumns: [projects.id] }).onDelete('cascade'),
    ],
  )
  const teams = k.table(
    'teams',
    {
      id: k.text('id').notNull(),
      organizationId: k.text('organization_id').notNull(),
      name: k.text('name').notNull(),
      nameKey: k.text('name_key').notNull(),
      /** The team whose members are the owners; every organization has it, and its rights have no limit. */
      isOwners: k.bool('is_owners').notNull(),
      visibility: k.text('visibility').$type<'secret' | 'organization'>().notNull(),
      ssoTeamId: k.text('sso_team_id'),
      allowMemberTokenManagement: k.bool('allow_member_token_management').notNull(),
      organizationAccess: k.json<OrganizationAccess[]>('organization_access').notNull(),
      createdAt: k.time('created_at').notNull(),
      updatedAt: k.time('updated_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'teams_pk', columns: [t.id] }),
      k.uniqueIndex('teams_name_key').on(t.organizationId, t.nameKey),
      k.foreignKey({ name: 'teams_organization_fk', columns: [t.organizationId], foreignColumns: [organizations.id] }).onDelete('cascade'),
    ],
  )
  /** Members of the organization. Those of the owners' team have the role `owner` there. */
  const teamMembers = k.table('team_members', { teamId: k.text('team_id').notNull(), userId: k.text('user_id').notNull() }, (t) => [
    k.primaryKey({ name: 'team_members_pk', columns: [t.teamId, t.userId] }),
    k.index('team_members_user_idx').on(t.userId),
    k.foreignKey({ name: 'team_members_team_fk', columns: [t.teamId], foreignColumns: [teams.id] }).onDelete('cascade'),
    k.foreignKey({ name: 'team_members_user_fk', columns: [t.userId], foreignColumns: [ref.users.id] }).onDelete('cascade'),
  ])
  return { organizations, memberships, projects, projectTagBindings, teams, teamMembers }
}

export type OrganizationTables = ReturnType<typeof organizationTables>
