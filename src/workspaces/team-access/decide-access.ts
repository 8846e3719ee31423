import { type AccessDetails, type WorkspaceAccess, detailsOf } from '../../organizations/index.ts'
import { invalid } from '../../platform/errors.ts'
import type { UpdateTeamAccess } from './schemas.ts'

/** By their names in messages. */
const labels: Record<keyof AccessDetails, string> = {
  runs: 'Runs',
  variables: 'Variables',
  stateVersions: 'State versions',
  sentinelMocks: 'Sentinel mocks',
  workspaceLocking: 'Workspace locking',
  runTasks: 'Run tasks',
  policyOverrides: 'Policy overrides',
}
// safe because an object literal has the keys of its type
const names = Object.keys(labels) as (keyof AccessDetails)[]

/**
 * What a team may do afterwards. The details of a level other than custom follow from it: sending another value is INVALID. Of a custom one
 * those that were not sent stay, or begin at its lowest. Pure.
 */
export const decideAccess = (before: WorkspaceAccess | undefined, input: UpdateTeamAccess): WorkspaceAccess => {
  const level = input.access ?? before?.level ?? 'read'
  if (level === 'custom') {
    const start = before?.level === 'custom' ? before : detailsOf.custom
    const sent = Object.fromEntries(names.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])))
    return { ...start, ...sent, level }
  }
  const details = detailsOf[level]
  const other = names.find((name) => input[name] !== undefined && input[name] !== details[name])
  if (other !== undefined) {
    // clients know this text
    const text = `${labels[other]} is read-only when access level is '${level}'; use the 'custom' access level to set this attribute.`
    throw invalid(text, labels[other].toLowerCase().replaceAll(' ', '-'))
  }
  return { ...details, level }
}
