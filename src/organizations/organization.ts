import { type Settings, defaultSettings } from './settings.ts'
import type { OrganizationTables } from './tables.ts'

export type OrganizationRow = OrganizationTables['organizations']['$inferSelect']

/** `id` is the `org-…` one, which never changes; the name is the id on the wire. */
export type Organization = Omit<OrganizationRow, 'nameKey' | 'settings'> & { settings: Settings; defaultProjectId: string }

export const toOrganization = ({ row, defaultProjectId }: { row: OrganizationRow; defaultProjectId: string }): Organization => {
  const { nameKey: _nameKey, settings, ...rest } = row
  return { ...rest, settings: { ...defaultSettings, ...settings }, defaultProjectId }
}
