import { parseDurationMs } from '../../platform/parse-duration.ts'
import type { PhaseMaterial } from '../../runs/index.ts'
import type { ControllerDeps, JobRow } from './deps.ts'

/** How long the phase may take: the shortest of what the server, the organization and the workspace (an environment variable) say. Pure. */
export const timeLimitMs = (
  limits: Pick<ControllerDeps['limits'], 'planMs' | 'applyMs'>,
  phase: JobRow['phase'],
  { timeLimits, variables }: Pick<PhaseMaterial, 'timeLimits' | 'variables'>,
): number => {
  const name = `TERRANE_${phase.toUpperCase()}_TIMEOUT`
  const ofWorkspace = variables.find(({ category, key }) => category === 'env' && key === name)?.value
  const shorter = [timeLimits[phase], ofWorkspace].flatMap((text) => parseDurationMs(text ?? '') ?? [])
  return Math.min(phase === 'plan' ? limits.planMs : limits.applyMs, ...shorter)
}
