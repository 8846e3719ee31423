import type { WorkspaceDeps } from '../workspace.ts'
import { listRetentionPolicies } from './queries.ts'

/** Workspaces whose stored files are deleted after some time: by their own policy, else by that of the organization. */
export const listLimitedWorkspaces =
  ({ db }: Pick<WorkspaceDeps, 'db'>) =>
  async (): Promise<{ workspaceId: string; deleteOlderThanDays: number }[]> => {
    const found = await listRetentionPolicies(db)
    return found.flatMap(({ workspaceId, own, inherited }) => {
      const deleteOlderThanDays = (own ?? inherited)?.deleteOlderThanDays ?? null
      return deleteOlderThanDays === null ? [] : [{ workspaceId, deleteOlderThanDays }]
    })
  }
