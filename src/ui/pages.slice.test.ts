import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Pages, makePages, password } from '../../test/harness/pages.ts'

/** Two organizations alike: one of the user who is signed in, one of somebody else. */
type Things = { organization: string; workspaceId: string; runId: string; stateId: string }

let pages: Pages
let own: Things
let foreign: Things
beforeAll(async () => {
  pages = await makePages()
  own = await makeThings('acme')
  foreign = await makeThings('foreign', await pages.newUser('grace'))
})
afterAll(() => pages.drop())

const makeThings = async (organization: string, token?: string): Promise<Things> => {
  const make = async (path: string, type: string, attributes: Record<string, unknown>, relationships?: unknown) => {
    const { status, body } = await pages.api('POST', path, { type, attributes, relationships }, token)
    if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return body.data
  }
  await make('organizations', 'organizations', { name: organization, email: 'x@example.com' })
  const workspace = await make(`organizations/${organization}/workspaces`, 'workspaces', { name: 'network' })
  const configuration = await make(`workspaces/${workspace.id}/configuration-versions`, 'configuration-versions', {
    'auto-queue-runs': false,
  })
  const run = await make(
    'runs',
    'runs',
    { message: '<b>first</b> & only' },
    {
      workspace: { data: { type: 'workspaces', id: workspace.id } },
      'configuration-version': { data: { type: 'configuration-versions', id: configuration.id } },
    },
  )
  await pages.api('POST', `workspaces/${workspace.id}/actions/lock`, undefined, token)
  const state = `{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"x","outputs":{},"resources":[]}`
  const stateVersion = await make(`workspaces/${workspace.id}/state-versions`, 'state-versions', {
    serial: 1,
    lineage: 'x',
    md5: createHash('md5').update(state).digest('hex'),
    state: Buffer.from(state).toString('base64'),
  })
  await pages.api('POST', `workspaces/${workspace.id}/actions/unlock`, undefined, token)
  return { organization, workspaceId: workspace.id, runId: run.id, stateId: stateVersion.id }
}

const getPaths = ({ organization: org, runId, stateId }: Things): string[] => [
  `/app/${org}/workspaces`,
  `/app/${org}/workspaces/network`,
  `/app/${org}/workspaces/network/states`,
  `/app/${org}/workspaces/network/states/${stateId}/download`,
  `/app/${org}/workspaces/network/variables`,
  `/app/${org}/workspaces/network/runs/${runId}`,
  `/app/${org}/workspaces/network/runs/${runId}?log=plan`,
  `/app/${org}/network/runs/${runId}`,
]

const postPaths = ({ organization: org, runId }: Things): string[] => [
  ...['lock', 'unlock', 'force-unlock'].map((action) => `/app/${org}/workspaces/network/${action}`),
  ...['apply', 'discard', 'cancel', 'force-cancel'].map((action) => `/app/${org}/workspaces/network/runs/${runId}/${action}`),
]

describe('pages', () => {
  it('are there for members, with headers that keep them to themselves', async () => {
    for (const path of ['/app', '/app/settings/tokens', ...getPaths(own)]) {
      const { status, headers } = await pages.visit('GET', path)
      expect([path, status]).toEqual([path, 200])
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      if (!headers.get('content-type')?.startsWith('text/html')) continue
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'nonce-[\w-]{22}';.*frame-ancestors 'none'/)
      expect(headers.get('referrer-policy')).toBe('same-origin')
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  it('send whoever is not signed in to sign in, and back', async () => {
    for (const path of ['/app', '/app/settings/tokens', ...getPaths(own)]) {
      const { status, location } = await pages.visit('GET', path, { cookie: '' })
      expect([status, location]).toEqual([303, `/session?return=${encodeURIComponent(path)}`])
    }
    expect(
      (await pages.visit('GET', `/app/_events/runs/${own.runId}`, { cookie: '', headers: { accept: 'text/event-stream' } })).status,
    ).toBe(401)
  })

  it('are not there for strangers, as if the things did not exist', async () => {
    for (const path of [
      ...getPaths(foreign),
      `/app/_events/runs/${foreign.runId}`,
      '/app/nobody/workspaces',
      `/app/acme/workspaces/network/runs/${foreign.runId}`,
    ]) {
      const { status, text } = await pages.visit('GET', path)
      expect([path, status]).toEqual([path, 404])
      expect(text).toContain('Nothing here')
    }
    for (const path of postPaths(foreign))
      expect([path, (await pages.visit('POST', path, { form: { csrf: pages.csrf } })).status]).toEqual([path, 404])
    // A state of another organization under the name of one's own.
    expect((await pages.visit('GET', `/app/acme/workspaces/network/states/${foreign.stateId}/download`)).status).toBe(404)
  })

  it('have a friendly one for what does not exist', async () => {
    for (const path of [
      '/app/acme/workspaces/nothing',
      '/app/acme/x/y/z/1/2',
      '/session/other',
      '/assets/x.js',
      '/app/acme/workspaces/network/runs/run-x',
    ]) {
      const { status, text } = await pages.visit('GET', path)
      expect([path, status]).toEqual([path, 404])
      expect(text).toContain('<!DOCTYPE html>')
    }
  })

  it('resolve the short forms of addresses', async () => {
    const to = async (path: string) => (await pages.visit('GET', path)).location
    expect(await to('/')).toBe('/app')
    expect(await to('/app/acme')).toBe('/app/acme/workspaces')
    expect(await to('/app/acme/network')).toBe('/app/acme/workspaces/network')
    expect(await to('/app/acme/network/runs')).toBe('/app/acme/workspaces/network')
    expect(await to('/app/acme/network/variables')).toBe('/app/acme/workspaces/network/variables')
  })

  it('escape what people write', async () => {
    const { text } = await pages.visit('GET', `/app/acme/workspaces/network/runs/${own.runId}`)
    expect(text).toContain('&lt;b&gt;first&lt;/b&gt; &amp; only')
    expect(text).not.toContain('<b>first')
  })

  it('leave the API as it is', async () => {
    expect((await pages.api('GET', 'organizations/acme')).status).toBe(200)
    const { headers } = await pages.visit('GET', '/api/v2/nothing')
    expect(headers.get('content-type')).toBe('application/vnd.api+json')
  })
})

describe('forms', () => {
  it.each([
    ['no token', {}],
    ['an empty token', { csrf: '' }],
    ['another token', { csrf: 'A'.repeat(43) }],
  ])('are refused with %s', async (_, form) => {
    for (const path of ['/app', '/app/settings/tokens', '/session/end', '/oauth/authorize', ...postPaths(own)])
      expect([path, (await pages.visit('POST', path, { form })).status]).toEqual([path, 403])
    expect((await pages.api('GET', `workspaces/${own.workspaceId}`)).body.data.attributes['locked']).toBe(false)
  })

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ])('are refused from other sites: %j', async (headers) => {
    const { status } = await pages.visit('POST', `/app/acme/workspaces/network/lock`, {
      form: { csrf: pages.csrf },
      headers,
    })
    expect(status).toBe(403)
    expect(
      (
        await pages.visit('POST', '/session', {
          cookie: '',
          form: { username: 'ada', password },
          headers,
        })
      ).status,
    ).toBe(403)
  })

  it('are refused when they are none, or too large', async () => {
    const json = { 'content-type': 'application/json' }
    expect((await pages.visit('POST', '/app', { form: { csrf: pages.csrf }, headers: json })).status).toBe(415)
    expect((await pages.visit('POST', '/app', { form: { csrf: pages.csrf, name: 'x'.repeat(70_000) } })).status).toBe(413)
  })

  it('lock and unlock a workspace', async () => {
    const path = '/app/acme/workspaces/network'
    const headers = { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:8080' }
    expect((await pages.visit('POST', `${path}/lock`, { form: { csrf: pages.csrf, reason: 'moving <house>' }, headers })).location).toBe(
      path,
    )
    const locked = await pages.visit('GET', path)
    expect(locked.text).toContain('moving &lt;house&gt;')
    expect((await pages.visit('POST', `${path}/lock`, { form: { csrf: pages.csrf } })).status).toBe(409)
    expect((await pages.visit('POST', `${path}/unlock`, { form: { csrf: pages.csrf } })).location).toBe(path)
    expect((await pages.visit('GET', path)).text).toContain('Unlocked')
  })

  it('make an organization, or say why not', async () => {
    expect((await pages.visit('POST', '/app', { form: { csrf: pages.csrf, name: 'globex' } })).location).toBe('/app/globex/workspaces')
    for (const name of ['globex', 'foreign', 'with space', '']) {
      const { status, text } = await pages.visit('POST', '/app', { form: { csrf: pages.csrf, name } })
      expect([name, status]).toEqual([name, 422])
      expect(text).toContain('role="alert"')
    }
  })

  it('R056: make a token that works, shown once, and end it', async () => {
    const made = await pages.visit('POST', '/app/settings/tokens', { form: { csrf: pages.csrf, description: 'for tests', days: '30' } })
    const token = /[\w]{14}\.terranev1\.[\w]{67}/.exec(made.text)?.[0] ?? ''
    expect((await pages.api('GET', 'account/details', undefined, token)).body.data.attributes['username']).toBe('ada')
    const list = await pages.visit('GET', '/app/settings/tokens')
    expect(list.text).not.toContain(token)
    expect(list.text).toContain('for tests')
    const id = /tokens\/(at-\w+)\/delete/.exec(list.text)?.[1]
    expect((await pages.visit('POST', `/app/settings/tokens/${id}/delete`, { form: { csrf: pages.csrf } })).location).toBe(
      '/app/settings/tokens',
    )
    expect((await pages.api('GET', 'account/details', undefined, token)).status).toBe(401)
  })
})

describe('signing in', () => {
  it('sets a cookie that scripts do not see, and goes to the page that was asked for', async () => {
    const { status, location, headers } = await pages.visit('POST', '/session', {
      cookie: '',
      form: { username: 'ada', password, return: '/app/acme/workspaces?page=2' },
    })
    expect([status, location]).toEqual([303, '/app/acme/workspaces?page=2'])
    expect(headers.get('set-cookie')).toMatch(/^terrane_session_8080=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/)
  })

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example'])('does not lead to %s', async (target) => {
    const { location } = await pages.visit('POST', '/session', { cookie: '', form: { username: 'ada', password, return: target } })
    expect(location).toBe('/app')
  })

  it('says that something is wrong, not what', async () => {
    const texts = []
    for (const username of ['ada', 'nobody']) {
      const { status, text, headers } = await pages.visit('POST', '/session', { cookie: '', form: { username, password: 'wrong' } })
      expect(status).toBe(401)
      expect(headers.get('set-cookie')).toBeNull()
      texts.push(text.replaceAll(username, '').replaceAll(/nonce="[^"]*"/g, ''))
    }
    expect(texts[0]).toBe(texts[1])
  })

  it('ends with signing out', async () => {
    const opened = await pages.visit('POST', '/session', { cookie: '', form: { username: 'ada', password } })
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
    const page = await pages.visit('GET', '/app', { cookie })
    const csrf = /name="csrf" value="([\w-]+)"/.exec(page.text)?.[1] ?? ''
    expect(csrf).not.toBe(pages.csrf)
    expect((await pages.visit('POST', '/session/end', { cookie, form: { csrf: pages.csrf } })).status).toBe(403)
    const out = await pages.visit('POST', '/session/end', { cookie, form: { csrf } })
    expect([out.status, out.headers.get('set-cookie')]).toEqual([303, expect.stringContaining('Max-Age=0')])
    expect((await pages.visit('GET', '/app', { cookie })).status).toBe(303)
  })

  it('refuses a setup link that was used', async () => {
    expect((await pages.visit('GET', '/setup/used-or-wrong', { cookie: '' })).status).toBe(410)
    expect((await pages.visit('POST', '/setup/used-or-wrong', { cookie: '', form: { username: 'eve', password } })).status).toBe(410)
  })
})
