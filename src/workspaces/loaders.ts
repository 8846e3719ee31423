import type { Loaders } from '../api/index.ts'
import { workspaceResource } from './resource.ts'
import { effectiveTagBindingResource, tagBindingResource } from '../organizations/index.ts'
import { variableResource } from './variables/resource.ts'
import type { Workspaces } from './workspaces.ts'

export const workspaceLoaders = (workspaces: Workspaces): Loaders => ({
  workspaces: async (ctx, ids) => (await workspaces.loadReadable(ctx, ids)).map(workspaceResource),
  vars: async (ctx, ids) => (await workspaces.loadVariables(ctx, ids)).map(variableResource),
  'tag-bindings': async (ctx, ids) => (await workspaces.loadTagBindings(ctx, ids)).map(tagBindingResource),
  'effective-tag-bindings': async (ctx, ids) => (await workspaces.loadTagBindings(ctx, ids)).map(effectiveTagBindingResource),
})
