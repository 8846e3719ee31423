import type { DomainEvent } from '../platform/outbox/emit.ts'
import type { WorkspaceRow } from '../workspaces/index.ts'
import type { StateVersion } from './state-version.ts'

/** The workspace has a state version with bytes more; while the lock is held it is a snapshot. Snapshots of runs are not told of. */
export const stateVersionCreated = (workspace: WorkspaceRow, version: StateVersion): DomainEvent =>
  event('state-version.created', workspace, version)

/** The version is the workspace's current one from now on. */
export const stateVersionPromoted = (workspace: WorkspaceRow, version: StateVersion): DomainEvent =>
  event('state-version.promoted', workspace, version)

const event = (type: string, workspace: WorkspaceRow, version: StateVersion): DomainEvent => ({
  type,
  subject: version.id,
  organizationId: workspace.organizationId,
  payload: { workspaceId: workspace.id, runId: version.runId, serial: version.serial },
})
