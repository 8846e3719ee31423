/** What can be embedded in a workspace. The slices that own the types register the loaders. */
export const workspaceIncludes = [
  'organization',
  'project',
  'current-run.plan',
  'current-run.configuration-version.ingress-attributes',
  'current-configuration-version.ingress-attributes',
  'current-state-version',
  'effective-tag-bindings',
  'tag-bindings',
  'locked-by',
  'outputs',
  'readme',
  'vars',
] as const
