import type { AccountTables } from '../accounts/tables.ts'
import type { Kit } from '../platform/db/kit.ts'

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
  return { organizations, memberships, projects }
}

export type OrganizationTables = ReturnType<typeof organizationTables>
