import { sqliteKit } from '../platform/db/kit.ts'
import { makeTables } from './schema.ts'

/** Read by drizzle-kit, which sees top-level exports only. */
export const {
  installation,
  events,
  eventCursors,
  jobs,
  leases,
  users,
  tokens,
  sessions,
  setupLinks,
  authorizationCodes,
  organizations,
  memberships,
  projects,
  workspaces,
  tags,
  tagBindings,
  variables,
  remoteStateConsumers,
  stateVersions,
  stateOutputs,
  configurationVersions,
  runs,
  phases,
  logChunks,
  runEvents,
  comments,
  certificateAuthorities,
  runnerJobs,
} = makeTables(sqliteKit)
