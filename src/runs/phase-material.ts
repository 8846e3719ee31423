import { eq } from 'drizzle-orm'
import { notFound } from '../platform/errors.ts'
import type { RunDeps } from './deps.ts'
import { runVariables } from './describe-runs.ts'
import { findConfigurationVersion, findRun, listPhases } from './queries.ts'
import type { PhaseRow, PinnedVariable, RunRow, RunVariable } from './run.ts'

/** Everything that executing a phase needs, gathered by the controller: the runner has no access of its own. */
export type PhaseMaterial = {
  run: RunRow
  plan: PhaseRow
  apply: PhaseRow
  configurationBlobKey: string
  workspace: { id: string; name: string; workingDirectory: string; currentStateVersionId: string | null }
  organizationName: string
  project: { id: string; name: string }
  variables: PinnedVariable[]
  runVariables: RunVariable[]
  state: { blobKey: string; sizeBytes: number } | undefined
}

/** Throws NOT_FOUND when the run or its configuration is gone. */
export const phaseMaterial = async (d: RunDeps, runId: string): Promise<PhaseMaterial> => {
  const run = await findRun(d.db, runId)
  if (run === undefined) throw notFound()
  const phases = await listPhases(d.db, [runId])
  const plan = phases.find((phase) => phase.kind === 'plan')
  const apply = phases.find((phase) => phase.kind === 'apply')
  const configuration = await findConfigurationVersion(d.db, run.configurationVersionId)
  const { workspaces, organizations, projects, stateVersions } = d.db.t
  const rows = await d.db
    .select({ workspace: workspaces, organizationName: organizations.name, projectId: projects.id, projectName: projects.name })
    .from(workspaces)
    .innerJoin(organizations, eq(organizations.id, workspaces.organizationId))
    .innerJoin(projects, eq(projects.id, workspaces.projectId))
    .where(eq(workspaces.id, run.workspaceId))
  const found = rows[0]
  if (found === undefined || plan === undefined || apply === undefined || configuration === undefined || configuration.blobKey === null)
    throw notFound()
  const states =
    run.inputStateVersionId === null
      ? []
      : await d.db
          .select({ blobKey: stateVersions.blobKey, sizeBytes: stateVersions.sizeBytes })
          .from(stateVersions)
          .where(eq(stateVersions.id, run.inputStateVersionId))
  const state = states[0]
  // safe because createRun wrote the text
  const variables = JSON.parse(d.envelope.openText(run.pinnedVariablesSealed, `runs/${runId}/pinned`)) as PinnedVariable[]
  return {
    run,
    plan,
    apply,
    configurationBlobKey: configuration.blobKey,
    workspace: {
      id: found.workspace.id,
      name: found.workspace.name,
      workingDirectory: found.workspace.workingDirectory,
      currentStateVersionId: found.workspace.currentStateVersionId,
    },
    organizationName: found.organizationName,
    project: { id: found.projectId, name: found.projectName },
    variables,
    runVariables: runVariables(d, run),
    state:
      state?.blobKey === null || state?.blobKey === undefined ? undefined : { blobKey: state.blobKey, sizeBytes: state.sizeBytes ?? 0 },
  }
}
