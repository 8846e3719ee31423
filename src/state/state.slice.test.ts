import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StateApi, type TestWorkspace, makeStateApi, resourceOf, stateBytes } from '../../test/api/state-versions/state-api.ts'

let api: StateApi
beforeAll(async () => {
  api = await makeStateApi()
})
afterAll(() => api.drop())

const RUN = 'run-1111111111111111'
const lineage = 'lineage-a'

const locked = async (runId = RUN): Promise<TestWorkspace> => {
  const workspace = await api.newWorkspace()
  await api.db.transaction((tx) => api.workspaces.lockForRun(tx, workspace.id, runId))
  return workspace
}

const commit = (workspace: TestWorkspace, serial: number, more: Partial<Parameters<typeof api.state.commitRunSnapshot>[0]> = {}) =>
  api.state.commitRunSnapshot({
    workspaceId: workspace.id,
    runId: RUN,
    lineage,
    serial,
    bytes: stateBytes({ serial, resources: [resourceOf('a')] }),
    ...more,
  })

const rowsOf = async ({ id }: TestWorkspace) => {
  const { stateVersions } = api.db.t
  const rows = await api.db.select().from(stateVersions).where(eq(stateVersions.workspaceId, id)).orderBy(stateVersions.position)
  return rows.map(({ serial, status, isIntermediate }) => [serial, status, isIntermediate])
}
const workspaceRow = async ({ id }: TestWorkspace) =>
  (await api.db.select().from(api.db.t.workspaces).where(eq(api.db.t.workspaces.id, id)))[0]
const eventsOf = async (subject: string) =>
  (await api.db.select().from(api.db.t.events).where(eq(api.db.t.events.subject, subject)).orderBy(api.db.t.events.sequence)).map(
    ({ type, payload }) => ({ type, payload }),
  )

describe('snapshots of a run', () => {
  it('are stored once, in order, and the last one is promoted', async () => {
    const workspace = await locked()
    expect(await commit(workspace, 1)).toEqual({ kind: 'write' })
    expect(await commit(workspace, 1)).toEqual({ kind: 'same' })
    expect(await commit(workspace, 2)).toEqual({ kind: 'write' })
    expect(await commit(workspace, 2, { bytes: stateBytes({ serial: 2 }) })).toMatchObject({ kind: 'refused', reason: 'STATE_SERIAL' })
    expect(await commit(workspace, 1)).toMatchObject({ kind: 'refused', reason: 'STATE_SERIAL' })
    expect(await commit(workspace, 3, { lineage: 'other' })).toMatchObject({ kind: 'refused', reason: 'STATE_LINEAGE' })
    expect(await commit(workspace, 3, { sha256: 'f'.repeat(64) })).toMatchObject({ kind: 'refused', reason: 'CHECKSUM' })
    expect(await commit(workspace, 3, { runId: 'run-2222222222222222' })).toMatchObject({ kind: 'refused', reason: 'NOT_LOCKED' })
    expect(await rowsOf(workspace)).toEqual([
      [1, 'finalized', true],
      [2, 'finalized', true],
    ])
    expect(await api.state.currentState(workspace.id)).toBeUndefined()

    await api.state.prepareRunState(workspace.id, RUN)
    const id = await api.db.transaction((tx) => api.state.promoteRunState(tx, workspace.id, RUN))
    expect(await rowsOf(workspace)).toEqual([
      [1, 'discarded', true],
      [2, 'finalized', false],
    ])
    expect(await workspaceRow(workspace)).toMatchObject({ currentStateVersionId: id, resourceCount: 1 })
    expect(await eventsOf(id ?? '')).toEqual([
      { type: 'state-version.promoted', payload: { workspaceId: workspace.id, runId: RUN, serial: 2 } },
    ])

    const current = await api.state.currentState(workspace.id)
    const chunks: Buffer[] = []
    for await (const chunk of current?.open() ?? []) chunks.push(chunk)
    expect(Buffer.concat(chunks)).toEqual(stateBytes({ serial: 2, resources: [resourceOf('a')] }))
    expect(current).toMatchObject({ id, serial: 2, lineage })

    expect(await api.db.transaction((tx) => api.state.promoteRunState(tx, workspace.id, RUN))).toBeUndefined()
    await api.db.transaction((tx) => api.workspaces.unlockFromRun(tx, workspace.id, RUN))
    expect((await workspaceRow(workspace))?.currentStateVersionId).toBe(id)
  })

  it('are looked into after the promotion when nobody has prepared them', async () => {
    const workspace = await locked()
    await commit(workspace, 4)
    const id = await api.db.transaction((tx) => api.state.promoteRunState(tx, workspace.id, RUN))
    await api.state.processingIdle()
    expect(await workspaceRow(workspace)).toMatchObject({ currentStateVersionId: id, resourceCount: 1 })
  })

  it('are promoted when the lock goes and the end of the run was never told', async () => {
    const workspace = await locked()
    await commit(workspace, 1)
    await commit(workspace, 2)
    await api.db.transaction((tx) => api.workspaces.unlockFromRun(tx, workspace.id, RUN))
    expect((await api.state.currentState(workspace.id))?.serial).toBe(2)
    expect(await commit(workspace, 3)).toMatchObject({ kind: 'refused', reason: 'NOT_LOCKED' })
  })

  it('say nothing when the state did not change', async () => {
    const workspace = await api.newWorkspace()
    const bytes = stateBytes({ serial: 7 })
    const id = await api.push(workspace, bytes, { serial: 1, lineage: 'declared' })
    await api.db.transaction((tx) => api.workspaces.lockForRun(tx, workspace.id, RUN))
    expect(await commit(workspace, 7, { bytes })).toEqual({ kind: 'same' })
    expect(await api.db.transaction((tx) => api.state.promoteRunState(tx, workspace.id, RUN))).toBeUndefined()
    expect((await workspaceRow(workspace))?.currentStateVersionId).toBe(id)
    // serial and lineage that the uploader declared are not those inside: a run must be able to save all the same
    expect(await commit(workspace, 2, { lineage: 'inside' })).toEqual({ kind: 'write' })
  })

  it('stay out when the fence throws', async () => {
    const workspace = await locked()
    const fence = async () => {
      throw new Error('fenced')
    }
    await expect(commit(workspace, 1, { fence })).rejects.toThrow('fenced')
    expect(await rowsOf(workspace)).toEqual([])
  })

  it('are stored once when sent twice at the same time', async () => {
    const workspace = await locked()
    const kinds = (await Promise.all([commit(workspace, 1), commit(workspace, 1), commit(workspace, 1)])).map(({ kind }) => kind)
    expect(kinds.sort()).toEqual(['same', 'same', 'write'])
  })

  it('roll back with the transaction that promotes them', async () => {
    const workspace = await locked()
    await commit(workspace, 1)
    await expect(
      api.db.transaction(async (tx) => {
        await api.state.promoteRunState(tx, workspace.id, RUN)
        throw new Error('killed')
      }),
    ).rejects.toThrow('killed')
    expect(await rowsOf(workspace)).toEqual([[1, 'finalized', true]])
    expect((await workspaceRow(workspace))?.currentStateVersionId).toBeNull()
  })
})

describe('order of writing', () => {
  it('names no blob that is not stored: a source that breaks leaves no row', async () => {
    const workspace = await locked()
    async function* breaks() {
      yield Buffer.from('{"version":4')
      throw new Error('connection lost')
    }
    await expect(commit(workspace, 1, { bytes: breaks() })).rejects.toThrow('connection lost')
    expect(await rowsOf(workspace)).toEqual([])
    await commit(workspace, 1)
    const { stateVersions } = api.db.t
    const rows = await api.db
      .select()
      .from(stateVersions)
      .where(and(eq(stateVersions.workspaceId, workspace.id), eq(stateVersions.status, 'finalized')))
    for (const { blobKey } of rows) expect(await api.blobs.has(blobKey ?? '')).toBe(true)
  })

  it('tells of a version when it has its bytes, and of the promotion', async () => {
    const workspace = await api.newWorkspace()
    await api.lock(workspace)
    const bytes = stateBytes({ serial: 1 })
    const pending = (await api.createPending(workspace, bytes)).one()
    expect(await eventsOf(pending.id)).toEqual([])
    await api.put(pending.attributes['hosted-state-upload-url'], bytes)
    await api.unlock(workspace)
    expect((await eventsOf(pending.id)).map(({ type }) => type)).toEqual(['state-version.created', 'state-version.promoted'])
  })
})
