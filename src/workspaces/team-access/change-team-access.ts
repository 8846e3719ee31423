import type { Ctx } from '../../platform/context.ts'
import { isUniqueViolation } from '../../platform/db/errors.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { lockAllowed } from '../lock-allowed.ts'
import type { WorkspaceDeps, WorkspaceTx } from '../workspace.ts'
import { decideAccess } from './decide-access.ts'
import { deleteTeamAccessRow, findTeamAccess, insertTeamAccess, saveTeamAccess } from './queries.ts'
import type { AddTeamAccess, UpdateTeamAccess } from './schemas.ts'
import type { TeamAccessRow } from './team-access.ts'

/** What teams may do on single workspaces, for whoever administers them. NOT_FOUND for others. */
export const changeTeamAccess = (deps: WorkspaceDeps) => {
  const { db, clock, outbox } = deps
  const emit = (tx: WorkspaceTx, verb: 'created' | 'updated' | 'deleted', id: string, organizationId: string) =>
    outbox.emit(tx, { type: `team-access.${verb}`, subject: id, organizationId })

  /** The grant, its workspace locked. */
  const lockGrant = async (ctx: Ctx, tx: WorkspaceTx, id: string) => {
    const seen = await findTeamAccess(tx, id)
    if (seen === undefined) throw notFound()
    const { row: workspace } = await lockAllowed(deps, ctx, tx, { id: seen.workspaceId }, 'workspace:grant')
    const grant = await findTeamAccess(tx, id)
    if (grant === undefined) throw notFound()
    return { grant, organizationId: workspace.organizationId }
  }

  return {
    /** INVALID for a team of another organization or one that the actor does not see, and for a second grant. */
    addTeamAccess: (ctx: Ctx, input: AddTeamAccess): Promise<TeamAccessRow> =>
      db.transaction(async (tx) => {
        const { row: workspace } = await lockAllowed(deps, ctx, tx, { id: input.workspace }, 'workspace:grant')
        const { organizationId } = workspace
        if (!(await deps.seesTeam(ctx, tx, input.team, organizationId))) throw invalid('Team does not exist in this organization', 'team')
        const access = decideAccess(undefined, input)
        const row: TeamAccessRow = { id: newId('tws'), teamId: input.team, workspaceId: workspace.id, access, createdAt: clock.now() }
        try {
          await insertTeamAccess(tx, row)
        } catch (error) {
          if (isUniqueViolation(error)) throw invalid('Team has already been added to the workspace', 'team')
          throw error
        }
        await emit(tx, 'created', row.id, organizationId)
        return row
      }),

    updateTeamAccess: (ctx: Ctx, id: string, input: UpdateTeamAccess): Promise<TeamAccessRow> =>
      db.transaction(async (tx) => {
        const { grant, organizationId } = await lockGrant(ctx, tx, id)
        const after = { ...grant, access: decideAccess(grant.access, input) }
        await saveTeamAccess(tx, after)
        await emit(tx, 'updated', id, organizationId)
        return after
      }),

    removeTeamAccess: (ctx: Ctx, id: string): Promise<void> =>
      db.transaction(async (tx) => {
        const { organizationId } = await lockGrant(ctx, tx, id)
        await deleteTeamAccessRow(tx, id)
        await emit(tx, 'deleted', id, organizationId)
      }),
  }
}
