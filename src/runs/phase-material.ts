import { notFound } from '../platform/errors.ts'
import { findConfigurationVersion } from './configuration-queries.ts'
import type { RunDeps } from './deps.ts'
import { runVariables } from './describe-runs.ts'
import { findRun, findStateBlob, findSurroundings, listPhases } from './queries.ts'
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
  /** For modules in git; undefined when the workspace has none. */
  sshPrivateKey: string | undefined
  state: { blobKey: string; sizeBytes: number } | undefined
  /** Durations as text, set by the organization. */
  timeLimits: Record<PhaseRow['kind'], string | null>
}

/** Throws NOT_FOUND when the run, or its configuration, is gone. */
export const phaseMaterial = async (d: RunDeps, runId: string): Promise<PhaseMaterial> => {
  const run = await findRun(d.db, runId)
  const found = run === undefined ? undefined : await findSurroundings(d.db, run.workspaceId)
  const phases = await listPhases(d.db, runId)
  const plan = phases.find((phase) => phase.kind === 'plan')
  const apply = phases.find((phase) => phase.kind === 'apply')
  if (run === undefined || found === undefined || plan === undefined || apply === undefined) throw notFound()
  const configuration = await findConfigurationVersion(d.db, run.configurationVersionId)
  if (configuration === undefined || configuration.blobKey === null) {
    throw notFound('The configuration of this run is not stored any more. Upload it again and start a new run.')
  }
  // safe because createRun wrote the text
  const variables = JSON.parse(d.envelope.openText(run.pinnedVariablesSealed, `runs/${runId}/pinned`)) as PinnedVariable[]
  const { id, name, workingDirectory, currentStateVersionId, sshKeyId } = found.workspace
  return {
    run,
    plan,
    apply,
    configurationBlobKey: configuration.blobKey,
    workspace: { id, name, workingDirectory, currentStateVersionId },
    organizationName: found.organizationName,
    timeLimits: {
      plan: textOrNull(found.organizationSettings['planTimeout']),
      apply: textOrNull(found.organizationSettings['applyTimeout']),
    },
    project: found.project,
    variables,
    runVariables: runVariables(d, run),
    sshPrivateKey: sshKeyId === null ? undefined : await d.sshKeys.openSshKey(d.db, sshKeyId),
    state: run.inputStateVersionId === null ? undefined : await findStateBlob(d.db, run.inputStateVersionId),
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)
