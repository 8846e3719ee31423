import type { OrganizationTables } from '../organizations/tables.ts'
import type { Kit } from '../platform/db/kit.ts'

export const sshKeyTables = (k: Kit, ref: Pick<OrganizationTables, 'organizations'>) => {
  const sshKeys = k.table(
    'ssh_keys',
    {
      id: k.text('id').notNull(),
      organizationId: k.text('organization_id').notNull(),
      name: k.text('name').notNull(),
      /** The private key, sealed. */
      valueSealed: k.bytes('value_sealed').notNull(),
      createdAt: k.time('created_at').notNull(),
      updatedAt: k.time('updated_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'ssh_keys_pk', columns: [t.id] }),
      k.index('ssh_keys_organization_idx').on(t.organizationId, t.name),
      k
        .foreignKey({ name: 'ssh_keys_organization_fk', columns: [t.organizationId], foreignColumns: [ref.organizations.id] })
        .onDelete('cascade'),
    ],
  )
  return { sshKeys }
}

export type SshKeyTables = ReturnType<typeof sshKeyTables>
