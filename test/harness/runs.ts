import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { joinLoaders } from '../../src/api/index.ts'
import { makeSignedUrls } from '../../src/api/signed-urls.ts'
import { makeRunAccess } from '../../src/main/make-run-access.ts'
import { makeFsBlobStore } from '../../src/platform/blobs/fs.ts'
import type { BlobStore } from '../../src/platform/blobs/store.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Log } from '../../src/platform/log.ts'
import { type JobSignals, type RunAccess, makeExecutor } from '../../src/runner/controller/index.ts'
import { type Engines, makeEngines } from '../../src/runner/engines/make-engines.ts'
import { scanSlug } from '../../src/runner/slug/scan-slug.ts'
import {
  type RunDeps,
  type Runs,
  makeCurrentRunSql,
  makeStatePort,
  makeRunEndpoints,
  makeRunLoaders,
  makeRuns,
} from '../../src/runs/index.ts'
import { makeSshKeys, sshKeyEndpoints } from '../../src/ssh-keys/index.ts'
import { type State, makeState } from '../../src/state/index.ts'
import { makeVariableSets, variableSetEndpoints, variableSetLoaders } from '../../src/variable-sets/index.ts'
import { type Workspaces, makeOrganizationPorts, makeWorkspaces, workspaceEndpoints, workspaceLoaders } from '../../src/workspaces/index.ts'
import { slugOf } from '../contract/runner-driver.ts'
import { type Answer, type TestResource, readAnswer } from './answer.ts'
import { type TestApi, type TestOrganization, documentOf, makeTestApi, testName } from './api.ts'
import { testEnvelope } from './workspaces.ts'

type RunAttributes = Record<string, unknown>

export type RunApi = TestApi & {
  runDeps: RunDeps
  runs: Runs
  state: State
  workspaces: Workspaces
  blobs: BlobStore
  /** Where they are. */
  blobDirectory: string
  engines: Engines
  access: RunAccess
  /** Who is told of new and changed jobs; nobody at first. */
  listener: { current: JobSignals | undefined }
  newWorkspace(
    attributes?: Record<string, unknown>,
    organization?: TestOrganization,
  ): Promise<{ id: string; name: string; organization: TestOrganization }>
  /** A version without content: the answer to the request. */
  newConfiguration(workspaceId: string, attributes?: Record<string, unknown>): Promise<TestResource>
  upload(url: unknown, archive: Buffer | Record<string, string>): Promise<Answer>
  /** Id of an uploaded version that starts no run. */
  configured(workspaceId: string, files?: Record<string, string>, attributes?: Record<string, unknown>): Promise<string>
  /** `POST runs`, whatever comes of it. `configurationVersion` and `token` are no attributes. */
  postRun(
    workspaceId: string,
    attributes?: RunAttributes,
    extra?: { configurationVersion?: string; token?: string; headers?: Record<string, string> },
  ): Promise<Answer>
  /** Id of a new run. */
  newRun(workspaceId: string, attributes?: RunAttributes, extra?: { configurationVersion?: string }): Promise<string>
  run(id: string): Promise<TestResource>
  statusOf(id: string): Promise<unknown>
  act(id: string, action: string, body?: unknown, token?: string): Promise<Answer>
  lockOf(workspaceId: string): Promise<{ type: string; id: string } | undefined>
}

export const tinyFiles = { 'main.tf': 'resource "terraform_data" "one" {\n  input = "hello"\n}\n' }

const CONFIGURATION_BYTES = 1024 * 1024

type Options = {
  clock?: Clock
  log?: Log
  forceCancelCoolOffMs?: number
  /** Runners, for which runs wait; without: as many as wanted. */ capacity?: number
}

/** The API with workspaces, state and runs; jobs are rows that nobody executes, unless a test gives a `listener`. */
export const makeRunApi = async ({ clock, log, forceCancelCoolOffMs = 60_000, capacity = Infinity }: Options = {}): Promise<RunApi> => {
  const directory = await mkdtemp(join(tmpdir(), 'terrane-runs-'))
  const listener: RunApi['listener'] = { current: undefined }
  const made: Partial<Pick<RunApi, 'runDeps' | 'runs' | 'state' | 'workspaces' | 'blobs' | 'engines' | 'access'>> = {}
  const api = await makeTestApi({
    ...(clock === undefined ? {} : { clock }),
    ...(log === undefined ? {} : { log }),
    slices: [
      async ({ db, clock, log, outbox, accounts, organizations, publicUrl }) => {
        const { authorize, permissionsOf, workspaceGrants } = organizations
        const envelope = testEnvelope()
        const blobs = makeFsBlobStore({ directory: join(directory, 'blobs'), key: randomBytes(32), log })
        const signedUrls = makeSignedUrls({ key: randomBytes(32), publicUrl, clock })
        const engines = makeEngines({
          directory: join(directory, 'engines'),
          // Nothing is downloaded.
          releaseMirrorUrl: 'http://127.0.0.1:1',
          searchPath: process.env['PATH'] ?? '',
          trustedKeys: [],
          log,
          clock,
        })
        const state = makeState({
          db,
          clock,
          outbox,
          envelope,
          blobs,
          authorize,
          permissionsOf,
          signedUrls,
          runs: makeStatePort(db),
          log,
        })
        const workspaces = makeWorkspaces({
          db,
          clock,
          outbox,
          envelope,
          authorize,
          permissionsOf,
          workspaceGrants,
          seesTeam: organizations.teams.seesTeam,
          engineVersions: engines,
          ports: { stateOf: state.stateOf, currentRun: makeCurrentRunSql(db) },
        })
        const { getOrganization, getProject } = organizations
        const sshKeys = makeSshKeys({ db, clock, outbox, envelope, authorize, getOrganization })
        const variableSets = makeVariableSets({ db, clock, outbox, envelope, authorize, permissionsOf, getOrganization, getProject })
        const access = await makeRunAccess({ accounts, publicUrl, engineCliConfigFile: undefined })
        const runDeps: RunDeps = {
          db,
          clock,
          log,
          blobs,
          envelope,
          emit: outbox.emit,
          authorize,
          permissionsOf,
          workspaceGrants,
          workspaces,
          sshKeys,
          variableSets,
          state: { promoteRunState: async (tx, workspaceId, runId) => void (await state.promoteRunState(tx, workspaceId, runId)) },
          executor: makeExecutor({
            clock,
            access,
            capacity,
            signals: { pending: () => listener.current?.pending(), changed: (id) => listener.current?.changed(id) },
          }),
          engines,
          signedUrls,
          publicUrl,
          limits: { configurationBytes: CONFIGURATION_BYTES, forceCancelCoolOffMs },
        }
        const runs = makeRuns({ ...runDeps, scanArchive: async (archive) => void (await scanSlug(archive)) })
        Object.assign(made, { runDeps, runs, state, workspaces, blobs, engines, access })
        return {
          endpoints: [
            ...workspaceEndpoints(workspaces),
            ...sshKeyEndpoints(sshKeys, workspaces),
            ...variableSetEndpoints(variableSets),
            ...state.endpoints,
            ...makeRunEndpoints(runs, { configurationBytes: CONFIGURATION_BYTES }),
          ],
          loaders: joinLoaders(workspaceLoaders(workspaces), variableSetLoaders(variableSets), state.loaders, makeRunLoaders(runDeps)),
          ports: { ...makeOrganizationPorts(db), runCounts: (id) => runs.countRuns(id) },
        }
      },
    ],
  })
  const { state } = made as Required<typeof made>
  const { request } = api

  const expectOk = (answer: Answer): Answer => {
    if (answer.status >= 300) throw new Error(`answered ${answer.status}: ${answer.text}`)
    return answer
  }

  const self: RunApi = {
    ...api,
    ...(made as Required<typeof made>),
    blobDirectory: join(directory, 'blobs'),
    listener,
    newWorkspace: async (attributes = {}, given) => {
      const organization = given ?? (await api.newOrganization())
      const name = testName('ws')
      const body = documentOf('workspaces', { name, ...attributes })
      return { id: expectOk(await request('POST', `organizations/${organization.name}/workspaces`, { body })).one().id, name, organization }
    },
    newConfiguration: async (workspaceId, attributes = { 'auto-queue-runs': false }) => {
      const body = documentOf('configuration-versions', attributes)
      return expectOk(await request('POST', `workspaces/${workspaceId}/configuration-versions`, { body })).one()
    },
    upload: async (url, archive) => {
      const bytes = Buffer.isBuffer(archive) ? archive : slugOf(archive)
      const headers = { 'content-type': 'application/octet-stream' }
      const response = await api.app.request(String(url), { method: 'PUT', headers, body: new Uint8Array(bytes) })
      if (response.status >= 500) throw new Error(`PUT answered ${response.status}: ${await response.text()}`)
      return readAnswer(response)
    },
    configured: async (workspaceId, files = tinyFiles, attributes = {}) => {
      const version = await self.newConfiguration(workspaceId, { 'auto-queue-runs': false, ...attributes })
      expectOk(await self.upload(version.attributes['upload-url'], files))
      return version.id
    },
    postRun: (workspaceId, attributes = {}, { configurationVersion, ...call } = {}) =>
      request('POST', 'runs', {
        ...call,
        body: documentOf('runs', attributes, {
          workspace: { data: { type: 'workspaces', id: workspaceId } },
          ...(configurationVersion === undefined
            ? {}
            : { 'configuration-version': { data: { type: 'configuration-versions', id: configurationVersion } } }),
        }),
      }),
    newRun: async (workspaceId, attributes, extra) => expectOk(await self.postRun(workspaceId, attributes, extra)).one().id,
    run: async (id) => expectOk(await request('GET', `runs/${id}`)).one(),
    statusOf: async (id) => (await self.run(id)).attributes['status'],
    act: (id, action, body = {}, token) =>
      request('POST', `runs/${id}/actions/${action}`, { body, ...(token === undefined ? {} : { token }) }),
    lockOf: async (workspaceId) => {
      const linkage = expectOk(await request('GET', `workspaces/${workspaceId}`)).one().relationships['locked-by']?.data
      return linkage === null || Array.isArray(linkage) ? undefined : linkage
    },
    drop: async () => {
      await state.processingIdle()
      await api.drop()
      await rm(directory, { recursive: true, force: true })
    },
  }
  return self
}
