import { eq, isNotNull, or } from 'drizzle-orm'
import type { WorkspaceReader } from '../workspace.ts'

/** Workspaces for which there is a policy, their own or one of the organization. */
export const listRetentionPolicies = async (reader: WorkspaceReader) => {
  const { workspaces, organizations } = reader.t
  return reader
    .select({ workspaceId: workspaces.id, own: workspaces.retention, inherited: organizations.retention })
    .from(workspaces)
    .innerJoin(organizations, eq(organizations.id, workspaces.organizationId))
    .where(or(isNotNull(workspaces.retention), isNotNull(organizations.retention)))
}
