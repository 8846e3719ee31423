import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { json, many, paged } from '../reply.ts'
import { toyApi } from '../toy-api.ts'

const rows = Array.from({ length: 45 }, (_, at) => ({ type: 'things', id: `t-${at + 1}` }))

const { call } = toyApi([
  endpoint({
    method: 'GET',
    path: 'things',
    auth: 'token',
    query: z.object({ 'filter[name]': z.string().optional() }),
    status: 200,
    handle: async (_ctx, { page }) =>
      paged(rows.slice(page.offset, page.offset + page.size), rows.length, { meta: { 'status-counts': { total: 45 } } }),
  }),
  endpoint({ method: 'GET', path: 'none', auth: 'token', status: 200, handle: async () => paged([], 0) }),
  endpoint({
    method: 'GET',
    path: 'runs',
    auth: 'token',
    status: 200,
    handle: async (_ctx, { page }) => paged([], { hasMore: page.number < 3 }),
  }),
  endpoint({
    method: 'GET',
    path: 'asked',
    auth: 'token',
    status: 200,
    handle: async (_ctx, { page }) => (page.requested ? paged(rows, 45) : many(rows)),
  }),
  endpoint({ method: 'GET', path: 'page', auth: 'token', status: 200, handle: async (_ctx, { page }) => json(page) }),
])

const url = (path: string, number: number, size: number) =>
  `https://terrane.test/api/v2/${path}page%5Bnumber%5D=${number}&page%5Bsize%5D=${size}`

describe('pagination', () => {
  it('gives the first page of twenty with absolute links', async () => {
    const { body } = await call('GET', '/api/v2/things')
    expect(body.data).toHaveLength(20)
    expect(body.meta).toEqual({
      'status-counts': { total: 45 },
      pagination: { 'current-page': 1, 'page-size': 20, 'prev-page': null, 'next-page': 2, 'total-pages': 3, 'total-count': 45 },
    })
    expect(body.links).toEqual({
      self: url('things?', 1, 20),
      first: url('things?', 1, 20),
      prev: null,
      next: url('things?', 2, 20),
      last: url('things?', 3, 20),
    })
  })

  it('keeps the other parameters in the links', async () => {
    const { body } = await call('GET', '/api/v2/things?filter%5Bname%5D=a+b&page[number]=2&page[size]=10')
    expect(body.data[0].id).toBe('t-11')
    expect(body.links.next).toBe('https://terrane.test/api/v2/things?filter%5Bname%5D=a+b&page%5Bnumber%5D=3&page%5Bsize%5D=10')
    expect(body.links.prev).toBe('https://terrane.test/api/v2/things?filter%5Bname%5D=a+b&page%5Bnumber%5D=1&page%5Bsize%5D=10')
  })

  it('answers a page out of range with nothing, its number and the true total', async () => {
    const { status, body } = await call('GET', '/api/v2/things?page%5Bnumber%5D=999')
    expect([status, body.data]).toEqual([200, []])
    expect(body.meta.pagination).toMatchObject({ 'current-page': 999, 'prev-page': 3, 'next-page': null, 'total-count': 45 })
  })

  it('has one page when the list is empty', async () => {
    const { body } = await call('GET', '/api/v2/none')
    expect(body.meta.pagination).toMatchObject({ 'total-pages': 1, 'total-count': 0, 'next-page': null, 'prev-page': null })
  })

  it('has no totals where the length is not known', async () => {
    const { body } = await call('GET', '/api/v2/runs?page[number]=2')
    expect(body.meta.pagination).toEqual({ 'current-page': 2, 'page-size': 20, 'prev-page': 1, 'next-page': 3 })
    expect(Object.keys(body.links)).toEqual(['self', 'prev', 'next'])
  })

  it('can be left out unless it was asked for', async () => {
    expect((await call('GET', '/api/v2/asked')).body).not.toHaveProperty('meta')
    expect((await call('GET', '/api/v2/asked?page[size]=5')).body.meta.pagination['page-size']).toBe(5)
  })

  it.each([
    ['page[number]=abc&page[size]=-5', 1, 20],
    ['page[number]=-1&page[size]=x', 1, 20],
    ['page[number]=0&page[size]=0', 1, 1],
    ['page[number]=1.5&page[size]=1e3', 1, 20],
    ['page[number]=&page[size]=101', 1, 100],
    ['page[number]=99999999999999999999&page[size]=99999999999999999999', 2_147_483_647, 100],
    ['page[number]=3&page[size]=7', 3, 7],
    ['page%5Bnumber%5D=3&page%5Bnumber%5D=4', 3, 20],
  ])('reads %s', async (query, number, size) => {
    expect((await call('GET', `/api/v2/page?${query}`)).body).toEqual({ number, size, offset: (number - 1) * size, requested: true })
  })
})
