import type { Clock } from '../platform/clock.ts'
import type { Ctx } from '../platform/context.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import type { PlatformTables } from '../platform/db/tables.ts'
import type { Log } from '../platform/log.ts'
import type { Outbox } from '../platform/outbox/outbox.ts'
import type { AccountTables, OrganizationTokenKind } from './tables.ts'

type Tables = AccountTables & PlatformTables

export type AccountTx = Tx<Tables>

/** Port of the slice above: organizations and teams have tokens too, and who may manage them is decided there. */
export type TokenOrganizations = {
  find(organizationId: string): Promise<{ name: string } | undefined>
  /** Throws NOT_FOUND unless the actor may manage the organization's token of that kind. */
  authorizeTokens(ctx: Ctx, organizationId: string, kind: OrganizationTokenKind): Promise<void>
  findTeam(teamId: string): Promise<{ name: string } | undefined>
  /** The same for the tokens of a team. */
  authorizeTeamTokens(ctx: Ctx, teamId: string): Promise<void>
}

export type AccountDeps = {
  db: Database<Tables>
  clock: Clock
  outbox: Pick<Outbox, 'emit'>
  log: Log
  organizations: TokenOrganizations
}
