import type { GrantsOf, SharesState } from '../organizations/index.ts'
import type { Database } from '../platform/db/database.ts'
import { isConsumer } from './consumers/queries.ts'
import { countByProject } from './queries.ts'
import { listGrantsOfTeams } from './team-access/queries.ts'
import type { UsedTables, WorkspaceReader } from './workspace.ts'

type OrganizationPorts = {
  sharesState: SharesState
  grantsOf: GrantsOf
  workspaceCounts(projectIds: readonly string[]): Promise<ReadonlyMap<string, number>>
}

/** What organizations want to know of workspaces; made first, because workspaces need `authorize` in turn. */
export const makeOrganizationPorts = (db: Database<UsedTables>): OrganizationPorts => ({
  sharesState: (workspaceId, consumerId) => isConsumer(db, workspaceId, consumerId),
  // safe because a database and its transactions have all tables
  grantsOf: (reader, teamIds) => listGrantsOfTeams(reader as unknown as WorkspaceReader, teamIds),
  workspaceCounts: (projectIds) => countByProject(db, projectIds),
})
