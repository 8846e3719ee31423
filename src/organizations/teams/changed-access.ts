import { organizationAccess } from '../permissions/organization-access.ts'
import type { OrganizationAccess } from '../tables.ts'
import type { UpdateTeam } from './schemas.ts'

const camel = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The flags that are on afterwards; those that were not sent, or sent as null, stay. Pure. */
export const changedAccess = (before: readonly OrganizationAccess[], sent: UpdateTeam['organizationAccess']): OrganizationAccess[] => {
  const given = new Map(Object.entries(sent ?? {}))
  return organizationAccess.filter((name) => given.get(camel(name)) ?? before.includes(name))
}
