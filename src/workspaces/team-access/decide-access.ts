import { type AccessDetails, type WorkspaceAccess, detailsOf } from '../../organizations/index.ts'
import { invalid } from '../../platform/errors.ts'
import type { UpdateTeamAccess } from './schemas.ts'

const names: (keyof AccessDetails)[] = [
  'runs',
  'variables',
  'stateVersions',
  'sentinelMocks',
  'workspaceLocking',
  'runTasks',
  'policyOverrides',
]

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
  if (other !== undefined) throw invalid(`Details can only be set when access is custom: ${level} decides them`, 'access')
  return { ...details, level }
}
