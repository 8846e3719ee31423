import type { Tables } from '../../src/main/schema.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { newId } from '../../src/platform/ids.ts'

/** The bare row of a workspace, for tests of slices below the one of workspaces. */
export const insertWorkspace = async (db: Database<Tables>, at: { organizationId: string; projectId: string }): Promise<string> => {
  const id = newId('ws')
  const now = new Date()
  await db.transaction(async (tx) => {
    await tx.insert(tx.t.workspaces).values({
      ...at,
      id,
      name: id,
      nameKey: id.toLowerCase(),
      terraformVersion: '1.11.4',
      workingDirectory: '',
      autoApply: false,
      autoApplyRunTrigger: false,
      allowDestroyPlan: true,
      assessmentsEnabled: false,
      fileTriggersEnabled: true,
      globalRemoteState: false,
      projectRemoteState: false,
      queueAllRuns: false,
      speculativeEnabled: true,
      structuredRunOutputEnabled: true,
      inheritsProjectAutoDestroy: true,
      triggerPrefixes: [],
      triggerPatterns: [],
      source: 'tfe-api',
      lockedReason: '',
      resourceCount: 0,
      createdAt: now,
      updatedAt: now,
      latestChangeAt: now,
      version: 1,
    })
  })
  return id
}
