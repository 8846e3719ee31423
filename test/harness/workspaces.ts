import { randomBytes } from 'node:crypto'
import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import type { Tables } from '../../src/main/schema.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Database, Tx } from '../../src/platform/db/database.ts'
import type { EngineName } from '../../src/platform/engine-name.ts'
import { newId } from '../../src/platform/ids.ts'
import { makeEnvelope } from '../../src/platform/secrets/envelope.ts'
import { parseInstallationKey } from '../../src/platform/secrets/installation-key.ts'
import { type VariableSets, makeVariableSets, variableSetEndpoints, variableSetLoaders } from '../../src/variable-sets/index.ts'
import {
  type EngineVersions,
  type WorkspacePorts,
  type Workspaces,
  makeOrganizationPorts,
  makeWorkspaces,
  workspaceEndpoints,
  workspaceLoaders,
} from '../../src/workspaces/index.ts'
import type { TestResource } from './answer.ts'
import { type TestApi, type TestBase, type TestSlice, documentOf, makeTestApi, testName } from './api.ts'

export const testEnvelope = () => makeEnvelope({ keys: [parseInstallationKey(randomBytes(32).toString('base64'), 'test')] })

/** The ports of workspaces in plain SQL over the tables of states and runs, for tests without those slices. */
export const tablePorts = ({ t }: Pick<Database<Tables>, 't'>): WorkspacePorts => ({
  stateOf: {
    onUnlock: async (anyTx, workspaceId) => {
      // safe because the transaction of a test database has every table
      const tx = anyTx as unknown as Tx<Tables>
      const ofWorkspace = and(eq(t.stateVersions.workspaceId, workspaceId), eq(t.stateVersions.isIntermediate, true))
      const [newest] = await tx
        .select()
        .from(t.stateVersions)
        .where(and(ofWorkspace, eq(t.stateVersions.status, 'finalized')))
        .orderBy(desc(t.stateVersions.position))
        .limit(1)
      if (newest === undefined) return
      await tx.update(t.stateVersions).set({ isIntermediate: false }).where(eq(t.stateVersions.id, newest.id))
      await tx
        .update(t.workspaces)
        .set({ currentStateVersionId: newest.id, resourceCount: newest.managedCount ?? 0 })
        .where(eq(t.workspaces.id, workspaceId))
    },
    hasPendingStateVersion: async (tx, workspaceId) => {
      const [newest] = await tx
        .select({ status: t.stateVersions.status })
        .from(t.stateVersions)
        .where(eq(t.stateVersions.workspaceId, workspaceId))
        .orderBy(desc(t.stateVersions.position))
        .limit(1)
      return newest?.status === 'pending'
    },
    isBeingProcessed: async (tx, workspaceId) =>
      (await tx.$count(
        t.stateVersions,
        and(eq(t.stateVersions.workspaceId, workspaceId), eq(t.stateVersions.areResourcesProcessed, false)),
      )) > 0,
    outputIds: async (reader, ids) => {
      const rows = await reader
        .select({ id: t.stateOutputs.id, version: t.stateOutputs.stateVersionId })
        .from(t.stateOutputs)
        .where(inArray(t.stateOutputs.stateVersionId, [...ids]))
        .orderBy(asc(t.stateOutputs.position))
      const found = new Map<string, string[]>()
      for (const { id, version } of rows) found.set(version, [...(found.get(version) ?? []), id])
      return found
    },
  },
  currentRun: {
    hasStatus: (runId, statuses) =>
      sql`${runId} in (select ${t.runs.id} from ${t.runs} where ${inArray(sql`${t.runs.status}`, [...statuses])})`,
    createdAt: (runId) => sql`(select ${t.runs.createdAt} from ${t.runs} where ${t.runs.id} = ${runId})`,
  },
})

export type WorkspaceApi = TestApi & {
  workspaces: Workspaces
  variableSets: VariableSets
  /** A workspace of the organization, made over HTTP. */
  newWorkspace(organization: string, attributes?: Record<string, unknown>, token?: string): Promise<TestResource>
  read(id: string): Promise<TestResource>
  /** Inserts a state version; it does not become current by itself. */
  newStateVersion(workspaceId: string, columns?: Partial<Tables['stateVersions']['$inferInsert']>): Promise<string>
  /** Inserts a run with its configuration version; it does not become current by itself. */
  newRun(workspace: { id: string; organizationId: string }, columns?: Partial<Tables['runs']['$inferInsert']>): Promise<string>
  setWorkspace(id: string, columns: Partial<Tables['workspaces']['$inferInsert']>): Promise<void>
}

const knownVersions = ['1.11.4', '1.10.5', '~> 1.11.0', 'latest']

/** Of engines that nobody starts; OpenTofu is known in the version 1.12.6 only. */
export const testEngineVersions = (isKnown: (version: string) => boolean): Record<EngineName, EngineVersions> => ({
  terraform: { isKnown: async (version) => isKnown(version), latest: async () => '1.11.4' },
  tofu: { isKnown: async (version) => version === '1.12.6', latest: async () => '1.12.6' },
})

/** A slice for `makeTestApi` and the verbs behind it. Known versions of terraform are `knownVersions`. */
export const workspaceSlice = (
  base: TestBase,
  ports: WorkspacePorts = tablePorts(base.db),
  envelope = testEnvelope(),
): TestSlice & { workspaces: Workspaces } => {
  const { authorize, permissionsOf, workspaceGrants } = base.organizations
  const workspaces = makeWorkspaces({
    db: base.db,
    clock: base.clock,
    outbox: base.outbox,
    envelope,
    authorize,
    permissionsOf,
    workspaceGrants,
    seesTeam: base.organizations.teams.seesTeam,
    engineVersions: testEngineVersions((version) => knownVersions.includes(version)),
    ports,
  })
  return {
    workspaces,
    endpoints: workspaceEndpoints(workspaces),
    loaders: workspaceLoaders(workspaces),
    ports: makeOrganizationPorts(base.db),
  }
}

export const makeWorkspaceApi = async ({ clock }: { clock?: Clock } = {}): Promise<WorkspaceApi> => {
  let made: Workspaces | undefined
  let sets: VariableSets | undefined
  const envelope = testEnvelope()
  const api = await makeTestApi({
    ...(clock === undefined ? {} : { clock }),
    slices: [
      (base) => {
        const slice = workspaceSlice(base, tablePorts(base.db), envelope)
        made = slice.workspaces
        return slice
      },
      (base) => {
        sets = makeVariableSets({ ...base, ...base.organizations, envelope })
        return { endpoints: variableSetEndpoints(sets), loaders: variableSetLoaders(sets) }
      },
    ],
  })
  if (made === undefined || sets === undefined) throw new Error('the slice was not made')
  const { db, request } = api
  let position = 0

  return {
    ...api,
    workspaces: made,
    variableSets: sets,
    newWorkspace: async (organization, attributes = {}, token = api.admin.token) => {
      const body = documentOf('workspaces', { name: testName('ws'), ...attributes })
      const { status, text, one } = await request('POST', `organizations/${organization}/workspaces`, { token, body })
      if (status !== 201) throw new Error(`creating a workspace answered ${status}: ${text}`)
      return one()
    },
    read: async (id) => (await request('GET', `workspaces/${id}`)).one(),
    newStateVersion: async (workspaceId, columns = {}) => {
      const id = newId('sv')
      await db.transaction(async (tx) => {
        await tx.insert(tx.t.stateVersions).values({
          id,
          workspaceId,
          serial: 1,
          lineage: 'lineage',
          md5: '',
          status: 'finalized',
          isIntermediate: false,
          areResourcesProcessed: true,
          createdAt: new Date(),
          position: ++position,
          ...columns,
        })
      })
      return id
    },
    newRun: async (workspace, columns = {}) => {
      const id = newId('run')
      await db.transaction(async (tx) => {
        await tx.insert(tx.t.runs).values({
          ...plainRun,
          id,
          workspaceId: workspace.id,
          organizationId: workspace.organizationId,
          position: ++position,
          ...columns,
        })
      })
      return id
    },
    setWorkspace: async (id, columns) => {
      await db.transaction(async (tx) => {
        await tx.update(tx.t.workspaces).set(columns).where(eq(tx.t.workspaces.id, id))
      })
    },
  }
}

const plainRun = {
  configurationVersionId: 'cv-1111111111111111',
  status: 'planning',
  isOpen: true,
  message: '',
  source: 'tfe-api',
  triggerReason: 'manual',
  isPlanOnly: false,
  isDestroy: false,
  refresh: true,
  isRefreshOnly: false,
  isSavePlan: false,
  autoApply: false,
  allowEmptyApply: false,
  allowConfigGeneration: false,
  isDebugging: false,
  terraformVersion: '1.11.4',
  logFormat: 'json',
  hasChanges: false,
  statusTimestamps: {},
  variablesSealed: Buffer.alloc(0),
  pinnedVariablesSealed: Buffer.alloc(0),
  planId: 'plan-1111111111111111',
  applyId: 'apply-1111111111111111',
  createdAt: new Date(0),
  updatedAt: new Date(0),
  version: 1,
} as const
