import type { Permission } from './permission.ts'

export const accessLevels = ['read', 'plan', 'write', 'admin', 'custom'] as const
export type AccessLevel = (typeof accessLevels)[number]

export type AccessDetails = {
  runs: 'read' | 'plan' | 'apply'
  variables: 'none' | 'read' | 'write'
  stateVersions: 'none' | 'read-outputs' | 'read' | 'write'
  sentinelMocks: 'none' | 'read'
  workspaceLocking: boolean
  runTasks: boolean
  policyOverrides: boolean
}

/** What a team may do on one workspace. */
export type WorkspaceAccess = AccessDetails & { level: AccessLevel }

const nothing: AccessDetails = {
  runs: 'read',
  variables: 'none',
  stateVersions: 'none',
  sentinelMocks: 'none',
  workspaceLocking: false,
  runTasks: false,
  policyOverrides: false,
}
const read: AccessDetails = { ...nothing, variables: 'read', stateVersions: 'read' }
const write: AccessDetails = {
  ...nothing,
  runs: 'apply',
  variables: 'write',
  stateVersions: 'write',
  sentinelMocks: 'read',
  workspaceLocking: true,
}

/** What each level is made of; for `custom` where it begins (platform behaviour, workspace access). */
export const detailsOf: Record<AccessLevel, AccessDetails> = {
  read,
  plan: { ...read, runs: 'plan' },
  write,
  admin: { ...write, runTasks: true },
  custom: nothing,
}

const ofRuns: Record<AccessDetails['runs'], readonly Permission[]> = {
  read: [],
  plan: ['run:plan', 'run:comment'],
  apply: ['run:plan', 'run:comment', 'run:apply', 'run:cancel', 'run:force-execute'],
}
const ofVariables: Record<AccessDetails['variables'], readonly Permission[]> = {
  none: [],
  read: ['variable:read'],
  write: ['variable:read', 'variable:write'],
}
const ofStates: Record<AccessDetails['stateVersions'], readonly Permission[]> = {
  none: [],
  'read-outputs': ['state:read-outputs'],
  read: ['state:read-outputs', 'state:read'],
  write: ['state:read-outputs', 'state:read', 'state:write'],
}
const ofAdmin: readonly Permission[] = [
  'workspace:update',
  'workspace:delete',
  'workspace:grant',
  'workspace:force-unlock',
  'run:force-cancel',
  'plan-json:read',
]

/** Pure. */
export const permissionsOfWorkspaceAccess = (access: WorkspaceAccess): Permission[] => [
  'workspace:read',
  'run:read',
  ...ofRuns[access.runs],
  ...ofVariables[access.variables],
  ...ofStates[access.stateVersions],
  ...(access.workspaceLocking ? (['workspace:lock'] as const) : []),
  ...(access.level === 'admin' ? ofAdmin : []),
]
