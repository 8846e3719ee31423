import { describe, expect, it } from 'vitest'
import { orderOfService, type WaitingJobs } from './decide-next-job.ts'

const APPLY = 0
const PLAN = 1
const SPECULATIVE = 2

const jobs = (workspaceId: string, priority: number, at: number): WaitingJobs => ({
  priority,
  organizationId: workspaceId.split('/')[0] ?? '',
  workspaceId,
  since: new Date(at),
})
const names = (waiting: readonly WaitingJobs[]): string[] => waiting.map(({ workspaceId }) => workspaceId)

describe('the next job', () => {
  it('is an apply before a plan before a speculative plan', () => {
    const waiting = [jobs('a/1', SPECULATIVE, 1), jobs('a/2', PLAN, 2), jobs('a/3', APPLY, 3)]
    expect(names(orderOfService(waiting, [], new Map()))).toEqual(['a/3', 'a/2', 'a/1'])
  })

  it('is that of who waits longest, among equals', () => {
    expect(names(orderOfService([jobs('b/1', PLAN, 2), jobs('a/1', PLAN, 1)], [], new Map()))).toEqual(['a/1', 'b/1'])
  })

  it('is that of the organization, then of the workspace, that has least at work', () => {
    const waiting = [jobs('a/1', PLAN, 1), jobs('a/2', PLAN, 2), jobs('b/1', PLAN, 3)]
    const atWork = [
      { organizationId: 'a', workspaceId: 'a/1', count: 2 },
      { organizationId: 'b', workspaceId: 'b/2', count: 1 },
    ]
    expect(names(orderOfService(waiting, atWork, new Map()))).toEqual(['b/1', 'a/2', 'a/1'])
  })

  it('comes to an organization with one run after one of a thousand, with one runner for all', () => {
    let waiting = Array.from({ length: 1000 }, (_, index) => jobs(`big/${index}`, PLAN, index))
    waiting.push(jobs('small/1', PLAN, 5000))
    const servedAt = new Map<string, number>()
    const served: string[] = []
    for (let turn = 1; turn <= 4; turn++) {
      const [next] = orderOfService(waiting, [], servedAt)
      if (next === undefined) break
      served.push(next.workspaceId)
      for (const id of [next.organizationId, next.workspaceId]) servedAt.set(id, turn)
      waiting = waiting.filter((each) => each !== next)
    }
    expect(served).toEqual(['big/0', 'small/1', 'big/1', 'big/2'])
  })
})
