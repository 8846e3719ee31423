import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunApi, makeRunApi } from '../../test/harness/runs.ts'
import { explainWaits } from './explain-waits.ts'
import { listWaitingRuns } from './queue-queries.ts'
import type { RunRow } from './run.ts'

let api: RunApi
beforeAll(async () => {
  api = await makeRunApi()
})
afterAll(() => api.drop())

const runsOf = (workspaceId: string): Promise<RunRow[]> =>
  Promise.resolve(api.db.select().from(api.db.t.runs).where(eq(api.db.t.runs.workspaceId, workspaceId)).orderBy(api.db.t.runs.position))

const waitingWorkspaces = async (): Promise<string[]> => (await listWaitingRuns(api.runDeps.db)).map(({ workspaceId }) => workspaceId)

const workspaceWithRuns = async (count: number, lockReason?: string): Promise<{ id: string; runs: RunRow[] }> => {
  const { id } = await api.newWorkspace()
  await api.configured(id)
  if (lockReason !== undefined) await api.request('POST', `workspaces/${id}/actions/lock`, { body: { reason: lockReason } })
  for (let run = 0; run < count; run++) await api.newRun(id)
  return { id, runs: await runsOf(id) }
}

describe('why a run waits', () => {
  it('names the first runs before it, and how many more there are', async () => {
    const { runs } = await workspaceWithRuns(6)
    const reasons = await explainWaits(api.runDeps, runs)
    const [a, b, c] = runs.map(({ id }) => id)
    expect(runs.map(({ id }) => reasons.get(id))).toEqual([
      'Waiting for a free runner.',
      `Waiting for ${a} (plan_queued) to end.`,
      `Waiting for ${a} (plan_queued), ${b} (pending) to end.`,
      `Waiting for ${a} (plan_queued), ${b} (pending), ${c} (pending) to end.`,
      `Waiting for ${a} (plan_queued), ${b} (pending), ${c} (pending) and 1 more to end.`,
      `Waiting for ${a} (plan_queued), ${b} (pending), ${c} (pending) and 2 more to end.`,
    ])
  })

  it('takes as many queries for runs of several workspaces as for one', async () => {
    const [one, other] = [await workspaceWithRuns(1, 'holidays'), await workspaceWithRuns(3, 'audit')]
    let queries = 0
    const db: RunApi['runDeps']['db'] = {
      ...api.runDeps.db,
      prepare: (name, build) => {
        queries += 1
        return api.runDeps.db.prepare(name, build)
      },
    }
    const counted = async (runs: RunRow[]) => {
      queries = 0
      return { reasons: await explainWaits({ db }, runs), queries }
    }
    const [few, many] = [await counted(one.runs), await counted([...one.runs, ...other.runs])]
    expect([few.queries, many.queries]).toEqual([3, 3])
    expect([...many.reasons.values()]).toEqual([
      'Waiting for the workspace to be unlocked (holidays).',
      ...Array.from({ length: 3 }, () => 'Waiting for the workspace to be unlocked (audit).'),
    ])
  })
})

describe('the look at all queues', () => {
  it('leaves those alone in which everything has to wait, and finds one whose wake-up was lost', async () => {
    const { id } = await workspaceWithRuns(2, 'by hand')
    expect(await waitingWorkspaces()).not.toContain(id)
    await api.db.transaction(async (tx) => {
      await tx.update(tx.t.workspaces).set({ lockedByKind: null, lockedById: null, lockedReason: '' }).where(eq(tx.t.workspaces.id, id))
    })
    expect(await waitingWorkspaces()).toContain(id)
    await api.runs.advanceAllQueues()
    expect((await runsOf(id)).map(({ status }) => status)).toEqual(['plan_queued', 'pending'])
    expect(await waitingWorkspaces()).not.toContain(id)
  })
})
