import type { SharesState } from '../organizations/index.ts'
import type { Database } from '../platform/db/database.ts'
import { isConsumer } from './consumers/queries.ts'
import { countByProject } from './queries.ts'
import type { UsedTables } from './workspace.ts'

type OrganizationPorts = {
  sharesState: SharesState
  workspaceCounts(projectIds: readonly string[]): Promise<ReadonlyMap<string, number>>
}

/** What organizations want to know of workspaces; made first, because workspaces need `authorize` in turn. */
export const makeOrganizationPorts = (db: Database<UsedTables>): OrganizationPorts => ({
  sharesState: (workspaceId, consumerId) => isConsumer(db, workspaceId, consumerId),
  workspaceCounts: (projectIds) => countByProject(db, projectIds),
})
