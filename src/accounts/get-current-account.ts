import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { AccountDeps } from './deps.ts'
import { findUser } from './queries.ts'
import { type User, toUser } from './user.ts'

export type Account =
  | { kind: 'user'; user: User }
  | { kind: 'organization'; organizationId: string; organizationName: string }
  | { kind: 'team'; teamId: string; teamName: string }

/** Who the token speaks for. Run tokens speak for nobody: NOT_FOUND. */
export const getCurrentAccount =
  (d: AccountDeps) =>
  async ({ actor }: Ctx): Promise<Account> => {
    if (actor.kind === 'user') {
      const row = await findUser(d.db, actor.userId)
      if (row !== undefined) return { kind: 'user', user: toUser(row) }
    }
    if (actor.kind === 'organization') {
      const organization = await d.organizations.find(actor.organizationId)
      if (organization !== undefined)
        return { kind: 'organization', organizationId: actor.organizationId, organizationName: organization.name }
    }
    if (actor.kind === 'team') {
      const team = await d.organizations.findTeam(actor.teamId)
      if (team !== undefined) return { kind: 'team', teamId: actor.teamId, teamName: team.name }
    }
    throw notFound()
  }
