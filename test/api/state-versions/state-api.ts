import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { makeSignedUrls } from '../../../src/api/signed-urls.ts'
import { makeFsBlobStore } from '../../../src/platform/blobs/fs.ts'
import type { BlobStore } from '../../../src/platform/blobs/store.ts'
import type { Clock } from '../../../src/platform/clock.ts'
import { makeEnvelope } from '../../../src/platform/secrets/envelope.ts'
import { parseInstallationKey } from '../../../src/platform/secrets/installation-key.ts'
import { makeStatePort } from '../../../src/runs/index.ts'
import { type State, type StateLimits, makeState } from '../../../src/state/index.ts'
import {
  type Workspaces,
  makeOrganizationPorts,
  makeWorkspaces,
  workspaceEndpoints,
  workspaceLoaders,
} from '../../../src/workspaces/index.ts'
import { type TestApi, documentOf, makeTestApi, testName } from '../../harness/api.ts'
import type { Answer } from '../../harness/answer.ts'
import { testEngineVersions } from '../../harness/workspaces.ts'

export type TestWorkspace = { id: string; name: string; organization: string; organizationId: string }

export type StateApi = TestApi & {
  state: State
  workspaces: Workspaces
  blobs: BlobStore
  newWorkspace(organization?: { id: string; name: string }): Promise<TestWorkspace>
  lock(workspace: TestWorkspace, token?: string): Promise<void>
  unlock(workspace: TestWorkspace, token?: string): Promise<Answer>
  /** Under the caller's lock. `extra` replaces or adds attributes. */
  create(workspace: TestWorkspace, bytes: Buffer, extra?: Record<string, unknown>, token?: string): Promise<Answer>
  /** The same without the bytes. */
  createPending(workspace: TestWorkspace, bytes: Buffer, extra?: Record<string, unknown>): Promise<Answer>
  /** Lock, create, unlock: the new current version. */
  push(workspace: TestWorkspace, bytes: Buffer, extra?: Record<string, unknown>): Promise<string>
  put(url: unknown, bytes: Buffer | ReadableStream<Uint8Array>): Promise<number>
  download(url: unknown): Promise<{ status: number; bytes: Buffer }>
}

export const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex')

export const stateBytes = (from: {
  serial: number
  lineage?: string
  outputs?: unknown
  resources?: unknown[]
  terraform_version?: string
}): Buffer =>
  Buffer.from(
    `${JSON.stringify({ version: 4, terraform_version: '1.11.4', lineage: 'lineage-a', outputs: {}, resources: [], check_results: null, ...from }, null, 2)}\n`,
  )

export const resourceOf = (name: string, keys: (number | string | undefined)[] = [undefined], more: Record<string, unknown> = {}) => ({
  mode: 'managed',
  type: 'null_resource',
  name,
  provider: 'provider["registry.terraform.io/hashicorp/null"]',
  instances: keys.map((key) => ({ ...(key === undefined ? {} : { index_key: key }), schema_version: 0, attributes: { id: '1' } })),
  ...more,
})

const serialOf = (bytes: Buffer): number => (JSON.parse(bytes.toString()) as { serial: number }).serial

export const makeStateApi = async (options: { clock?: Clock; limits?: Partial<StateLimits> } = {}): Promise<StateApi> => {
  const directory = await mkdtemp(join(tmpdir(), 'terrane-state-'))
  const key = parseInstallationKey(randomBytes(32).toString('base64'), 'test')
  const made: { state?: State; workspaces?: Workspaces; blobs?: BlobStore } = {}
  const api = await makeTestApi({
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    slices: [
      ({ db, clock, log, outbox, organizations, publicUrl }) => {
        const envelope = makeEnvelope({ keys: [key] })
        const blobs = makeFsBlobStore({ directory, key: randomBytes(32), log })
        const signedUrls = makeSignedUrls({ key: randomBytes(32), publicUrl, clock })
        const { authorize, permissionsOf } = organizations
        const limits = options.limits ?? {}
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
          limits,
        })
        const workspaces = makeWorkspaces({
          db,
          clock,
          outbox,
          envelope,
          authorize,
          permissionsOf,
          workspaceGrants: organizations.workspaceGrants,
          seesTeam: organizations.teams.seesTeam,
          engineVersions: testEngineVersions(() => true),
          ports: { stateOf: state.stateOf, currentRun: { hasStatus: () => sql`false`, createdAt: () => sql`null` } },
        })
        Object.assign(made, { state, workspaces, blobs })
        return {
          endpoints: [...workspaceEndpoints(workspaces), ...state.endpoints],
          loaders: { ...workspaceLoaders(workspaces), ...state.loaders },
          ports: makeOrganizationPorts(db),
        }
      },
    ],
  })
  const { state, workspaces, blobs } = made as Required<typeof made>

  const attributesOf = (bytes: Buffer, extra: Record<string, unknown>) => ({
    serial: 'serial' in extra ? 0 : serialOf(bytes),
    md5: md5(bytes),
    ...extra,
  })
  const post = (workspace: TestWorkspace, attributes: Record<string, unknown>, token?: string): Promise<Answer> =>
    api.request('POST', `workspaces/${workspace.id}/state-versions`, { token, body: documentOf('state-versions', attributes) })

  const expectOk = (answer: Answer): Answer => {
    if (answer.status >= 300) throw new Error(`answered ${answer.status}: ${answer.text}`)
    return answer
  }

  const self: StateApi = {
    ...api,
    state,
    workspaces,
    blobs,
    newWorkspace: async (given) => {
      const organization = given ?? (await api.newOrganization())
      const name = testName('ws')
      const body = documentOf('workspaces', { name })
      const created = expectOk(await api.request('POST', `organizations/${organization.name}/workspaces`, { body }))
      return { id: created.one().id, name, organization: organization.name, organizationId: organization.id }
    },
    lock: async ({ id }, token) => void expectOk(await api.request('POST', `workspaces/${id}/actions/lock`, { token })),
    unlock: ({ id }, token) => api.request('POST', `workspaces/${id}/actions/unlock`, { token }),
    create: (workspace, bytes, extra = {}, token) =>
      post(workspace, { ...attributesOf(bytes, extra), state: bytes.toString('base64'), ...extra }, token),
    createPending: (workspace, bytes, extra = {}) => post(workspace, attributesOf(bytes, extra)),
    push: async (workspace, bytes, extra = {}) => {
      await self.lock(workspace)
      const created = expectOk(await self.create(workspace, bytes, extra))
      expectOk(await self.unlock(workspace))
      return created.one().id
    },
    put: async (url, bytes) => {
      const body = bytes instanceof ReadableStream ? { body: bytes, duplex: 'half' as const } : { body: new Uint8Array(bytes) }
      const response = await api.app.request(String(url), {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream' },
        ...body,
      })
      if (response.status >= 500) throw new Error(`PUT answered ${response.status}: ${await response.text()}`)
      return response.status
    },
    download: async (url) => {
      const response = await api.app.request(String(url), { headers: { authorization: 'Bearer ignored', accept: 'application/json' } })
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
    },
    drop: async () => {
      await state.processingIdle()
      await api.drop()
      await rm(directory, { recursive: true, force: true })
    },
  }
  return self
}
