import type { Loaders, Resource } from '../api/index.ts'
import type { Permission } from '../organizations/index.ts'
import type { Ctx } from '../platform/context.ts'
import { findWorkspace } from '../workspaces/index.ts'
import { outputResource, workspaceOutputResource } from './outputs/output-resource.ts'
import { listOutputsById, listStateVersionsById } from './queries.ts'
import { withOutputs } from './reads/with-outputs.ts'
import { stateVersionResource } from './resource.ts'
import type { StateDeps, StateOutput } from './state-version.ts'

/** Readers for `include`; what the actor may not see is left out. */
export const makeStateLoaders = (deps: Pick<StateDeps, 'db' | 'permissionsOf' | 'envelope' | 'signedUrls'>): Loaders => {
  const { db, permissionsOf, envelope, signedUrls } = deps

  const allowed = async <T>(ctx: Ctx, permission: Permission, items: readonly T[], workspaceIdOf: (item: T) => string): Promise<T[]> => {
    const open = new Set<string>()
    for (const id of new Set(items.map(workspaceIdOf))) {
      const workspace = await findWorkspace(db, { id })
      if (workspace !== undefined && (await permissionsOf(ctx, workspace.organization.id, id)).has(permission)) open.add(id)
    }
    return items.filter((item) => open.has(workspaceIdOf(item)))
  }

  const outputs =
    (toResource: (output: StateOutput) => Resource) =>
    async (ctx: Ctx, ids: string[]): Promise<Resource[]> => {
      const found = await allowed(ctx, 'state:read-outputs', await listOutputsById(db, ids), ({ version }) => version.workspaceId)
      return found.map(({ output }) => toResource(output))
    }

  return {
    'state-versions': async (ctx, ids) => {
      const found = await allowed(ctx, 'state:read', await listStateVersionsById(db, ids), ({ workspaceId }) => workspaceId)
      return (await withOutputs(db, found)).map(stateVersionResource(signedUrls))
    },
    'state-version-outputs': outputs(outputResource(envelope, { hidesSensitive: false })),
    'workspace-outputs': outputs(workspaceOutputResource(envelope)),
  }
}
