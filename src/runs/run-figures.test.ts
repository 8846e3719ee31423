import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeWorkspaceApi, type WorkspaceApi } from '../../test/harness/workspaces.ts'
import { figuresOf, saveRunFigures } from './run-figures.ts'

const at = (second: number): string => new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString()

describe('figuresOf', () => {
  it('averages each phase over the runs that came so far', () => {
    const figures = figuresOf([
      { status: 'applied', statusTimestamps: { 'planning-at': at(0), 'planned-at': at(4), 'applying-at': at(10), 'applied-at': at(11) } },
      { status: 'errored', statusTimestamps: { 'planning-at': at(0), 'planned-at': at(2), 'applying-at': at(10), 'errored-at': at(13) } },
      { status: 'errored', statusTimestamps: { 'planning-at': at(0), 'errored-at': at(1) } },
      { status: 'errored', statusTimestamps: { 'errored-at': at(1) } },
    ])
    expect(figures).toEqual({ runs: 4, failures: 3, planAverageMs: 2333, applyAverageMs: 2000 })
  })

  it('has no averages where no run came so far', () => {
    expect(figuresOf([{ status: 'errored', statusTimestamps: {} }])).toEqual({
      runs: 1,
      failures: 1,
      planAverageMs: null,
      applyAverageMs: null,
    })
  })
})

describe('saveRunFigures', () => {
  let api: WorkspaceApi
  beforeAll(async () => {
    api = await makeWorkspaceApi()
  })
  afterAll(() => api.drop())

  it('counts the last 30 runs that were applied or failed, of this workspace alone', async () => {
    const organization = await api.newOrganization()
    const [mine, other] = [await api.newWorkspace(organization.name), await api.newWorkspace(organization.name)]
    const add = (workspaceId: string, status: 'applied' | 'errored' | 'discarded') =>
      api.newRun({ id: workspaceId, organizationId: organization.id }, { status, isOpen: false })
    await add(mine.id, 'errored')
    for (let count = 0; count < 29; count++) await add(mine.id, 'applied')
    await add(mine.id, 'discarded')
    await add(other.id, 'errored')
    const figures = async () => {
      await api.db.transaction((tx) => saveRunFigures(tx, mine.id))
      const { attributes } = await api.read(mine.id)
      return [attributes['workspace-kpis-runs-count'], attributes['run-failures'], attributes['policy-check-failures']]
    }
    expect((await api.read(mine.id)).attributes['workspace-kpis-runs-count']).toBeNull()
    expect(await figures()).toEqual([30, 1, 0])
    await add(mine.id, 'applied')
    expect(await figures()).toEqual([30, 0, 0])
  })

  it('leaves a workspace alone that had none', async () => {
    const organization = await api.newOrganization()
    const { id } = await api.newWorkspace(organization.name)
    await api.db.transaction((tx) => saveRunFigures(tx, id))
    expect((await api.read(id)).attributes['run-failures']).toBeNull()
  })
})
