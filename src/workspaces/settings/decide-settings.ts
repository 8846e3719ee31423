import { invalid } from '../../platform/errors.ts'
import type { ExecutionMode, WorkspaceRow } from '../workspace.ts'
import { decideExecutionMode } from './execution-mode.ts'
import type { EngineChoice } from './requested-engine.ts'
import type { UpdateWorkspace } from './schemas.ts'
import { checkWorkingDirectory } from './working-directory.ts'
import { checkWorkspaceName } from './workspace-name.ts'

/** What a client can set, apart from the project and the tags. */
export type Settings = Omit<
  WorkspaceRow,
  | 'id'
  | 'organizationId'
  | 'projectId'
  | 'source'
  | 'sourceName'
  | 'sourceUrl'
  | 'lockedByKind'
  | 'lockedById'
  | 'lockedReason'
  | 'currentRunId'
  | 'currentStateVersionId'
  | 'currentConfigurationVersionId'
  | 'sshKeyId'
  | 'resourceCount'
  | 'runFigures'
  | 'retention'
  | 'createdAt'
  | 'updatedAt'
  | 'latestChangeAt'
  | 'version'
>

export const defaultSettings = (name: string, terraformVersion: string): Settings => ({
  name,
  nameKey: name.toLowerCase(),
  description: null,
  executionMode: null,
  engine: 'terraform',
  terraformVersion,
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
  autoDestroyAt: null,
  autoDestroyActivityDuration: null,
  triggerPrefixes: [],
  triggerPatterns: [],
})

type Facts = {
  inheritedMode: ExecutionMode
} & EngineChoice

/** The settings after a request: what is absent stays, null goes back to the default. Throws INVALID naming the attribute. */
export const decideSettings = (current: Settings, input: UpdateWorkspace, facts: Facts): Settings => {
  const name = checkWorkspaceName(input.name ?? current.name)
  const defaults = defaultSettings(name, current.terraformVersion)
  const next = <K extends keyof Settings & keyof UpdateWorkspace>(key: K, given: Settings[K] | null | undefined): Settings[K] =>
    given === undefined ? current[key] : (given ?? defaults[key])

  const settings: Settings = {
    name,
    nameKey: defaults.nameKey,
    description: next('description', input.description),
    executionMode: decideExecutionMode(current.executionMode, facts.inheritedMode, input),
    engine: facts.engine ?? current.engine,
    terraformVersion: facts.terraformVersion ?? current.terraformVersion,
    workingDirectory: checkWorkingDirectory(next('workingDirectory', input.workingDirectory)),
    autoApply: next('autoApply', input.autoApply),
    autoApplyRunTrigger: next('autoApplyRunTrigger', input.autoApplyRunTrigger),
    allowDestroyPlan: next('allowDestroyPlan', input.allowDestroyPlan),
    assessmentsEnabled: next('assessmentsEnabled', input.assessmentsEnabled),
    fileTriggersEnabled: next('fileTriggersEnabled', input.fileTriggersEnabled),
    globalRemoteState: next('globalRemoteState', input.globalRemoteState),
    projectRemoteState: next('projectRemoteState', input.projectRemoteState),
    queueAllRuns: next('queueAllRuns', input.queueAllRuns),
    speculativeEnabled: next('speculativeEnabled', input.speculativeEnabled),
    structuredRunOutputEnabled: next('structuredRunOutputEnabled', input.structuredRunOutputEnabled),
    ...autoDestroy(current, input),
    ...triggers(current, input),
  }
  if (settings.globalRemoteState && settings.projectRemoteState) {
    throw invalid('Project remote state cannot be enabled when global remote state sharing is enabled', 'project-remote-state')
  }
  return settings
}

type AutoDestroy = Pick<Settings, 'autoDestroyAt' | 'autoDestroyActivityDuration' | 'inheritsProjectAutoDestroy'>

/** A workspace that gets a time or a duration of its own inherits no longer, unless the request says so. */
const autoDestroy = (current: Settings, input: UpdateWorkspace): AutoDestroy => {
  const { autoDestroyAt: at, autoDestroyActivityDuration: duration, inheritsProjectAutoDestroy: inherits } = input
  if (typeof duration === 'string' && !/^[1-9][0-9]{0,3}[dh]$/.test(duration)) {
    throw invalid(
      "Auto destroy activity duration has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')",
      'auto-destroy-activity-duration',
    )
  }
  const setsOwn = typeof at === 'string' || typeof duration === 'string'
  const unasked = setsOwn ? false : current.inheritsProjectAutoDestroy
  return {
    autoDestroyAt: at === undefined ? current.autoDestroyAt : at === null ? null : new Date(at),
    autoDestroyActivityDuration: duration === undefined ? current.autoDestroyActivityDuration : duration,
    inheritsProjectAutoDestroy: inherits === undefined ? unasked : (inherits ?? true),
  }
}

/** Prefixes and patterns exclude each other: giving one kind clears the other. */
const triggers = (current: Settings, input: UpdateWorkspace): Pick<Settings, 'triggerPrefixes' | 'triggerPatterns'> => {
  const prefixes = input.triggerPrefixes === undefined ? undefined : (input.triggerPrefixes ?? [])
  const patterns = input.triggerPatterns === undefined ? undefined : (input.triggerPatterns ?? [])
  const givesPrefixes = prefixes !== undefined && prefixes.length > 0
  const givesPatterns = patterns !== undefined && patterns.length > 0
  if (givesPrefixes && givesPatterns)
    throw invalid('Trigger patterns and trigger prefixes cannot be used at the same time', 'trigger-patterns')
  return {
    triggerPrefixes: givesPatterns ? [] : (prefixes ?? current.triggerPrefixes),
    triggerPatterns: givesPrefixes ? [] : (patterns ?? current.triggerPatterns),
  }
}
