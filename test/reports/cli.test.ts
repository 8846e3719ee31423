import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { discoveryEndpoint } from '../../src/api/well-known.ts'
import { pingEndpoint } from '../../src/api/ping.ts'
import { makeApi } from '../../src/api/server.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { silentLog } from '../../src/platform/log.ts'
import { type RunApi, makeRunApi } from '../harness/runs.ts'

let api: RunApi
beforeAll(async () => {
  api = await makeRunApi()
})
afterAll(() => api.drop())

describe('the helper routes of the CLI', () => {
  it('R055: discovery names every version of the service that some client asks for, with and without a token', async () => {
    const app = makeApi({
      endpoints: [discoveryEndpoint, pingEndpoint],
      loaders: {},
      authenticate: api.accounts.authenticate,
      publicUrl: api.publicUrl,
      log: silentLog,
      clock: systemClock,
    })
    for (const token of [undefined, 'of-nobody']) {
      const headers = new Headers(token === undefined ? [] : [['authorization', `Bearer ${token}`]])
      const found = await app.request(`${api.publicUrl}/.well-known/terraform.json`, { headers })
      expect([found.status, found.headers.get('content-type')]).toEqual([200, expect.stringContaining('application/json')])
      expect(await found.json()).toMatchObject({ 'tfe.v2': '/api/v2/', 'tfe.v2.1': '/api/v2/', 'tfe.v2.2': '/api/v2/' })
    }
    const ping = await app.request(`${api.publicUrl}/api/v2/ping`)
    expect(ping.status).toBeLessThan(300)
    expect(ping.headers.get('tfp-api-version')).toMatch(/^2\.\d+$/)
    expect(ping.headers.get('tfp-appname')).toBe('HCP Terraform')
  })

  it('R055: run events, entitlements, queue and capacity answer in the shape that the client reads', async () => {
    const { id, organization } = await api.newWorkspace()
    await api.configured(id)
    const run = await api.newRun(id)
    const events = await api.request('GET', `runs/${run}/run-events?include=comment,actor`)
    expect(events.many().map(({ type, attributes }) => [type, attributes['action']])).toContainEqual(['run-events', 'plan_queued'])
    const entitlements = (await api.request('GET', `organizations/${organization.name}/entitlement-set`)).one()
    expect(entitlements).toMatchObject({ type: 'entitlement-sets', attributes: { operations: true, 'state-storage': true } })
    const queue = (await api.request('GET', `organizations/${organization.name}/runs/queue`)).many()
    expect(queue.map((each) => [each.id, each.attributes['position-in-queue']])).toEqual([[run, expect.any(Number)]])
    const capacity = (await api.request('GET', `organizations/${organization.name}/capacity`)).one()
    expect(capacity).toMatchObject({ type: 'organization-capacity', attributes: { pending: 1, running: 0 } })
  })
})
