import type { PhaseMaterial } from '../../runs/index.ts'
import {
  LogFormat,
  PlanMode,
  VariableCategory,
  type Lease,
  type PlanRequest,
  type PrepareRequest,
  type SmallBlob,
  type Variable,
} from '../gen/runner/v1/runner.ts'
import type { Access } from './run-access.ts'

export const logFormatOf = (material: PhaseMaterial): LogFormat => (material.run.logFormat === 'json' ? LogFormat.JSON : LogFormat.TEXT)

/** One value per key and category: run variables (HCL literals) beat those of the workspace, apart from those with priority; a sensitive one stays so. */
export const mergeVariables = (material: Pick<PhaseMaterial, 'variables' | 'runVariables'>): Variable[] => {
  const merged = new Map<string, Variable>()
  for (const { key, value, hcl, category, sensitive } of material.variables) {
    merged.set(`${category} ${key}`, {
      key,
      value,
      hcl,
      sensitive,
      category: category === 'env' ? VariableCategory.ENV : VariableCategory.TERRAFORM,
    })
  }
  const fixed = new Set(
    material.variables.flatMap(({ key, category, priority }) => (category === 'terraform' && priority === true ? key : [])),
  )
  for (const { key, value } of material.runVariables) {
    if (fixed.has(key)) continue
    const sensitive = merged.get(`terraform ${key}`)?.sensitive ?? false
    merged.set(`terraform ${key}`, { key, value, hcl: true, sensitive, category: VariableCategory.TERRAFORM })
  }
  return [...merged.values()]
}

/** `TFE_PARALLELISM` of the workspace, 1 to 256; else 0, which leaves it to the engine and the workspace's `TF_CLI_ARGS`. */
export const parallelismOf = (material: Pick<PhaseMaterial, 'variables'>): number => {
  const text = material.variables.find((variable) => variable.category === 'env' && variable.key === 'TFE_PARALLELISM')?.value ?? ''
  return /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 256 ? Number(text) : 0
}

/** What every engine in a run finds in its environment, and as input variables where the configuration declares them (platform behaviour, run environment). */
const platformEnv = (material: PhaseMaterial): Record<string, string> => {
  const identity = runIdentity(material)
  const inputs = Object.entries(identity).map(([key, value]) => [`TF_VAR_${key}`, value] as const)
  return { ...identity, ...Object.fromEntries(inputs), ...(material.run.isDebugging ? { TF_LOG: 'TRACE' } : {}) }
}

const runIdentity = ({ run, workspace, organizationName, project }: PhaseMaterial): Record<string, string> => ({
  TFC_RUN_ID: run.id,
  TFC_WORKSPACE_ID: workspace.id,
  TFC_WORKSPACE_NAME: workspace.name,
  TFC_WORKSPACE_SLUG: `${organizationName}/${workspace.name}`,
  TFC_PROJECT_ID: project.id,
  TFC_PROJECT_NAME: project.name,
  TFC_CONFIGURATION_VERSION_GIT_BRANCH: '',
  TFC_CONFIGURATION_VERSION_GIT_COMMIT_SHA: '',
  TFC_CONFIGURATION_VERSION_GIT_TAG: '',
})

export const prepareRequest = (
  material: PhaseMaterial,
  {
    lease,
    opId,
    engine,
    access,
    blobs,
  }: { lease: Lease; opId: string; engine: { path: string; version: string; file: string }; access: Access; blobs: SmallBlob[] },
): PrepareRequest => ({
  lease,
  opId,
  blobs,
  enginePath: engine.path,
  engineVersion: engine.version,
  engineFile: engine.file,
  workingDirectory: material.workspace.workingDirectory,
  workspaceName: material.workspace.name,
  variables: mergeVariables(material),
  platformEnv: platformEnv(material),
  ...access,
  allowEmptyConfig: material.run.isDestroy,
  sshPrivateKey: material.sshPrivateKey ?? '',
})

export const planRequest = (material: PhaseMaterial, { lease, opId }: { lease: Lease; opId: string }): PlanRequest => {
  const { run } = material
  return {
    lease,
    opId,
    mode: run.isDestroy ? PlanMode.DESTROY : run.isRefreshOnly ? PlanMode.REFRESH_ONLY : PlanMode.NORMAL,
    refresh: run.refresh,
    targets: run.targetAddrs ?? [],
    replace: run.replaceAddrs ?? [],
    parallelism: parallelismOf(material),
    generateConfig: run.allowConfigGeneration,
    logFormat: logFormatOf(material),
    invoke: run.invokeActionAddrs?.[0] ?? '',
  }
}
