import { newId } from '../platform/ids.ts'
import type { OrganizationTables } from './tables.ts'

export type ProjectRow = OrganizationTables['projects']['$inferSelect']

/** With what it has from its organization. */
export type Project = Omit<ProjectRow, 'nameKey'> & { organizationName: string; defaultExecutionMode: 'remote' | 'local' }

export type ProjectParts = { row: ProjectRow; organizationName: string; defaultExecutionMode: 'remote' | 'local' }

export const toProject = ({ row, organizationName, defaultExecutionMode }: ProjectParts): Project => {
  const { nameKey: _nameKey, ...rest } = row
  return { ...rest, organizationName, defaultExecutionMode }
}

type NewProject = Pick<ProjectRow, 'organizationId' | 'name' | 'description' | 'isDefault'> & { now: Date }

export const newProjectRow = ({ organizationId, name, description, isDefault, now }: NewProject): ProjectRow => ({
  id: newId('prj'),
  organizationId,
  name,
  nameKey: name.toLowerCase(),
  description,
  isDefault,
  createdAt: now,
  updatedAt: now,
})
