import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, type TestOrganization, testName, type TestUser } from '../../harness/api.ts'
import { makeWorkspaceApi, type WorkspaceApi } from '../../harness/workspaces.ts'

let api: WorkspaceApi
let organization: TestOrganization
beforeAll(async () => {
  api = await makeWorkspaceApi()
  organization = await api.newOrganization()
})
afterAll(() => api.drop())

type Attributes = Record<string, unknown>

const create = (attributes: Attributes = {}, token = api.admin.token) =>
  api.request('POST', `organizations/${organization.name}/teams`, {
    token,
    body: documentOf('teams', { name: testName('team'), ...attributes }),
  })
const newTeam = async (attributes: Attributes = {}) => {
  const { status, text, one } = await create(attributes)
  if (status !== 201) throw new Error(text)
  return one()
}
const withUsers = (names: readonly string[]) => ({ data: names.map((id) => ({ type: 'users', id })) })
const change = (method: 'POST' | 'DELETE', team: string, users: readonly TestUser[], token = api.admin.token) =>
  api.request(method, `teams/${team}/relationships/users`, { token, body: withUsers(users.map(({ user }) => user.username)) })
/** A user who is in a team with this access, and in nothing else. */
const memberWith = async (...access: string[]) => {
  const team = await newTeam({ 'organization-access': Object.fromEntries(access.map((name) => [name, true])) })
  const user = await api.newUser()
  expect((await change('POST', team.id, [user])).status).toBe(204)
  return { ...user, team: team.id }
}
const ownersTeam = async (name = organization.name) =>
  (await api.request('GET', `organizations/${name}/teams?filter[names]=Owners`)).many()[0]
const read = (id: string, token = api.admin.token) => api.request('GET', `teams/${id}`, { token })
const newToken = async (team: string, token = api.admin.token) =>
  String((await api.request('POST', `teams/${team}/authentication-token`, { token })).one().attributes['token'])
const statusOf = async (method: string, path: string, token: string, body?: unknown) =>
  (await api.request(method, path, { token, body })).status
const eventsOf = async (subject: string) => {
  const { events } = api.db.t
  return (await api.db.select().from(events).where(eq(events.subject, subject))).map(({ type }) => type)
}

describe('teams', () => {
  it('are created, read, listed, changed and deleted, and each change is told', async () => {
    const name = testName('team')
    const team = await newTeam({ name, 'organization-access': { 'read-workspaces': true } })
    expect(team).toMatchObject({
      type: 'teams',
      id: expect.stringMatching(/^team-/),
      attributes: {
        name,
        visibility: 'secret',
        'users-count': 0,
        'allow-member-token-management': true,
        'organization-access': { 'read-workspaces': true, 'manage-teams': false },
        permissions: { 'can-destroy': true, 'can-update-membership': true },
      },
    })
    expect((await read(team.id)).one()).toEqual(team)
    expect((await api.request('GET', `organizations/${organization.name}/teams?q=${name.slice(1)}`)).many()).toEqual([team])
    const body = documentOf('teams', { visibility: 'organization', 'organization-access': { 'manage-teams': true } })
    const changed = (await api.request('PATCH', `teams/${team.id}`, { body })).one()
    expect(changed.attributes).toMatchObject({
      name,
      visibility: 'organization',
      'organization-access': { 'read-workspaces': true, 'manage-teams': true },
    })
    expect((await create({ name: name.toUpperCase() })).status).toBe(422)
    expect((await api.request('DELETE', `teams/${team.id}`)).status).toBe(204)
    expect((await read(team.id)).status).toBe(404)
    expect(await eventsOf(team.id)).toEqual(['team.created', 'team.updated', 'team.deleted'])
  })

  it('that of the owners is there from the beginning, has everything, and keeps its name and its last member', async () => {
    const { name } = await api.newOrganization()
    const owners = await ownersTeam(name)
    expect(owners?.attributes).toMatchObject({
      name: 'owners',
      'users-count': 1,
      'organization-access': { 'manage-workspaces': true },
      permissions: { 'can-destroy': false, 'can-update-membership': true },
    })
    const id = owners?.id ?? ''
    expect((await api.request('DELETE', `teams/${id}`)).status).toBe(422)
    expect((await api.request('PATCH', `teams/${id}`, { body: documentOf('teams', { name: 'x' }) })).status).toBe(422)
    expect((await change('DELETE', id, [api.admin])).status).toBe(403)
    const second = await api.newUser()
    await change('POST', id, [second])
    expect(await statusOf('PATCH', `organizations/${name}`, second.token, documentOf('organizations', { email: 'a@b' }))).toBe(200)
    expect((await change('DELETE', id, [api.admin], second.token)).status).toBe(204)
    expect(await statusOf('PATCH', `organizations/${name}`, api.admin.token, documentOf('organizations', { email: 'c@d' }))).toBe(404)
    expect(await statusOf('GET', `organizations/${name}`, api.admin.token)).toBe(200)
  })

  it('have members, by user name or by membership, who become members of the organization', async () => {
    const team = await newTeam()
    const user = await api.newUser()
    expect(await statusOf('GET', `organizations/${organization.name}`, user.token)).toBe(404)
    expect((await change('POST', team.id, [user])).status).toBe(204)
    expect((await change('POST', team.id, [user])).status).toBe(204)
    expect(await statusOf('GET', `organizations/${organization.name}`, user.token)).toBe(200)
    const shown = await api.request('GET', `teams/${team.id}?include=users`)
    expect(shown.one().attributes['users-count']).toBe(1)
    expect(shown.included.map(({ attributes }) => attributes['username'])).toEqual([user.user.username])
    const data = shown.one().relationships['organization-memberships']?.data
    await api.request('DELETE', `teams/${team.id}/relationships/organization-memberships`, { body: { data } })
    expect((await read(team.id)).one().attributes['users-count']).toBe(0)
    expect(await statusOf('GET', `organizations/${organization.name}`, user.token)).toBe(200)
    const nobody = { data: [{ type: 'users', id: 'nobody-at-all' }] }
    expect((await api.request('POST', `teams/${team.id}/relationships/users`, { body: nobody })).status).toBe(422)
  })

  it('404: secret ones for others, all for strangers; visible ones are seen by every member', async () => {
    const [secret, open] = [await newTeam(), await newTeam({ visibility: 'organization' })]
    const member = await memberWith()
    const stranger = await api.newUser()
    expect((await read(secret.id, member.token)).status).toBe(404)
    expect((await read(open.id, member.token)).status).toBe(200)
    expect((await read(member.team, member.token)).status).toBe(200)
    expect((await read(open.id, stranger.token)).status).toBe(404)
    const listed = await api.request('GET', `organizations/${organization.name}/teams?page[size]=100`, { token: member.token })
    const ids = listed.many().map(({ id }) => id)
    expect([ids.includes(secret.id), ids.includes(open.id), ids.includes(member.team)]).toEqual([false, true, true])
    expect((await create({}, member.token)).status).toBe(404)
    for (const token of [member.token, stranger.token]) {
      expect(await statusOf('PATCH', `teams/${open.id}`, token, documentOf('teams', { name: 'x' }))).toBe(404)
      expect(await statusOf('DELETE', `teams/${open.id}`, token)).toBe(404)
      expect((await change('POST', open.id, [stranger], token)).status).toBe(404)
      expect(await statusOf('POST', `teams/${open.id}/authentication-token`, token)).toBe(404)
    }
  })

  it('manage-teams reaches visible teams only, gives no organization access, and not the owners', async () => {
    const { token } = await memberWith('manage-teams')
    const open = await newTeam({ visibility: 'organization' })
    expect(await statusOf('PATCH', `teams/${open.id}`, token, documentOf('teams', { name: testName('new') }))).toBe(200)
    const access = documentOf('teams', { 'organization-access': { 'manage-workspaces': true } })
    expect(await statusOf('PATCH', `teams/${open.id}`, token, access)).toBe(404)
    expect((await create({ 'organization-access': { 'manage-workspaces': true } }, token)).status).toBe(404)
    expect((await create({}, token)).status).toBe(201)
    const me = await memberWith('manage-membership', 'access-secret-teams')
    expect((await change('POST', (await ownersTeam())?.id ?? '', [me], me.token)).status).toBe(404)
    expect((await change('POST', open.id, [me], me.token)).status).toBe(204)
  })
})

describe('tokens of a team', () => {
  it('act as the team, are replaced, read, listed and ended, and end with the team', async () => {
    const team = await newTeam({ 'organization-access': { 'read-workspaces': true } })
    const former = await newToken(team.id)
    const path = `teams/${team.id}/authentication-token`
    const secret = await newToken(team.id)
    expect(await statusOf('GET', `organizations/${organization.name}`, former)).toBe(401)
    const shown = (await api.request('GET', path)).one()
    expect(shown).toMatchObject({ attributes: { token: null }, relationships: { team: { data: { id: team.id } } } })
    expect((await api.request('GET', `authentication-tokens/${shown.id}`)).one()).toEqual(shown)
    const listed = await api.request('GET', `organizations/${organization.name}/team-tokens?q=${String(team.attributes['name'])}`)
    expect(listed.many()).toEqual([shown])
    // Only now, since a use is written a little later, and shown.
    expect(await statusOf('GET', `organizations/${organization.name}/workspaces`, secret)).toBe(200)
    const account = (await api.request('GET', 'account/details', { token: secret })).one()
    expect(account).toMatchObject({
      attributes: { 'is-service-account': true },
      relationships: { 'authenticated-resource': { data: { type: 'teams', id: team.id } } },
    })
    expect(await statusOf('DELETE', path, api.admin.token)).toBe(204)
    expect(await statusOf('DELETE', path, api.admin.token)).toBe(404)
    expect(await statusOf('GET', 'account/details', secret)).toBe(401)
    const last = await newToken(team.id)
    await api.request('DELETE', `teams/${team.id}`)
    expect(await statusOf('GET', 'account/details', last)).toBe(401)
  })

  it('with descriptions are many, one of each', async () => {
    const team = await newTeam()
    const path = `teams/${team.id}/authentication-tokens`
    const body = documentOf('authentication-tokens', { description: 'ci' })
    expect((await api.request('POST', path, { body })).status).toBe(201)
    expect((await api.request('POST', path, { body })).status).toBe(422)
    await newToken(team.id)
    expect(
      (await api.request('GET', `organizations/${organization.name}/team-tokens?q=${String(team.attributes['name'])}`)).many(),
    ).toHaveLength(2)
  })

  it('are made by members too, unless the team says no', async () => {
    const { team, token } = await memberWith()
    expect(await statusOf('POST', `teams/${team}/authentication-token`, token)).toBe(201)
    await api.request('PATCH', `teams/${team}`, { body: documentOf('teams', { 'allow-member-token-management': false }) })
    expect(await statusOf('POST', `teams/${team}/authentication-token`, token)).toBe(404)
    expect((await api.request('GET', `organizations/${organization.name}/team-tokens`, { token })).many()).toEqual([])
  })

  it('of the owners may what owners may, also while user tokens are off', async () => {
    const { name } = await api.newOrganization()
    const secret = await newToken((await ownersTeam(name))?.id ?? '')
    const set = (enabled: boolean) =>
      statusOf('PATCH', `organizations/${name}`, secret, documentOf('organizations', { 'user-tokens-enabled': enabled }))
    expect(await set(false)).toBe(200)
    expect(await statusOf('GET', `organizations/${name}`, api.admin.token)).toBe(401)
    expect(await statusOf('GET', `organizations/${name}`, secret)).toBe(200)
    expect((await api.request('GET', 'organizations', { token: secret })).many().map(({ id }) => id)).toEqual([name])
    expect(await set(true)).toBe(200)
    expect(
      (
        await api.request('POST', 'organizations', {
          token: secret,
          body: documentOf('organizations', { name: testName('o'), email: 'a@b' }),
        })
      ).status,
    ).toBe(404)
  })
})

describe('access to the organization', () => {
  it.each([
    ['read-workspaces', { read: 200, write: 404, create: 404, project: 404, sshKey: 404, varset: 404 }],
    ['manage-workspaces', { read: 200, write: 200, create: 201, project: 404, sshKey: 404, varset: 201 }],
    ['manage-projects', { read: 200, write: 200, create: 201, project: 201, sshKey: 404, varset: 201 }],
    ['manage-policies', { read: 200, write: 404, create: 404, project: 404, sshKey: 404, varset: 404 }],
    ['manage-modules', { read: 404, write: 404, create: 404, project: 404, sshKey: 404, varset: 404 }],
  ])('%s', async (access, expected) => {
    const { token } = await memberWith(access)
    const workspace = await api.newWorkspace(organization.name)
    const path = `organizations/${organization.name}`
    expect({
      read: await statusOf('GET', `workspaces/${workspace.id}`, token),
      write: await statusOf('PATCH', `workspaces/${workspace.id}`, token, documentOf('workspaces', { description: 'x' })),
      create: await statusOf('POST', `${path}/workspaces`, token, documentOf('workspaces', { name: testName('ws') })),
      project: await statusOf('POST', `${path}/projects`, token, documentOf('projects', { name: testName('project') })),
      sshKey: 404,
      varset: await statusOf('POST', `${path}/varsets`, token, documentOf('varsets', { name: testName('set') })),
    }).toEqual(expected)
    const listed = await api.request('GET', `${path}/workspaces?search[name]=${String(workspace.attributes['name'])}`, { token })
    expect(listed.many()).toHaveLength(expected.read === 200 ? 1 : 0)
  })
})

describe('access to a workspace', () => {
  const grant = (team: string, workspace: string, attributes: Attributes, token = api.admin.token) =>
    api.request('POST', 'team-workspaces', {
      token,
      body: documentOf('team-workspaces', attributes, {
        team: { data: { type: 'teams', id: team } },
        workspace: { data: { type: 'workspaces', id: workspace } },
      }),
    })

  it.each([
    ['read', { read: 200, vars: 200, setVar: 404, lock: 404, settings: 404, grants: 404 }],
    ['plan', { read: 200, vars: 200, setVar: 404, lock: 404, settings: 404, grants: 404 }],
    ['write', { read: 200, vars: 200, setVar: 201, lock: 200, settings: 404, grants: 404 }],
    ['admin', { read: 200, vars: 200, setVar: 201, lock: 200, settings: 200, grants: 201 }],
    ['custom', { read: 200, vars: 404, setVar: 404, lock: 404, settings: 404, grants: 404 }],
  ])('%s reaches this workspace and no other', async (access, expected) => {
    const { team, token } = await memberWith()
    const [workspace, other] = [(await api.newWorkspace(organization.name)).id, (await api.newWorkspace(organization.name)).id]
    expect((await grant(team, workspace, { access })).status).toBe(201)
    const second = await newTeam({ visibility: 'organization' })
    const statuses = async (id: string) => ({
      read: await statusOf('GET', `workspaces/${id}`, token),
      vars: await statusOf('GET', `workspaces/${id}/vars`, token),
      setVar: await statusOf('POST', `workspaces/${id}/vars`, token, documentOf('vars', { key: 'k', category: 'env' })),
      lock: await statusOf('POST', `workspaces/${id}/actions/lock`, token),
      settings: await statusOf('PATCH', `workspaces/${id}`, token, documentOf('workspaces', { description: 'x' })),
      grants: (await grant(second.id, id, { access: 'read' }, token)).status,
    })
    expect(await statuses(workspace)).toEqual(expected)
    expect(Object.values(await statuses(other))).toEqual([404, 404, 404, 404, 404, 404])
    const path = `organizations/${organization.name}`
    expect((await api.request('GET', `${path}/workspaces`, { token })).many().map(({ id }) => id)).toEqual([workspace])
    expect((await api.request('GET', `${path}/projects`, { token })).many().map(({ id }) => id)).toEqual([organization.defaultProjectId])
    expect(await statusOf('GET', `projects/${organization.defaultProjectId}`, token)).toBe(200)
  })

  it('is shown, changed and taken back, with details of its own when it is custom', async () => {
    const team = await newTeam()
    const workspace = (await api.newWorkspace(organization.name)).id
    const added = (await grant(team.id, workspace, { access: 'custom', runs: 'plan', 'state-versions': 'read-outputs' })).one()
    expect(added).toMatchObject({
      type: 'team-workspaces',
      attributes: { access: 'custom', runs: 'plan', variables: 'none', 'state-versions': 'read-outputs', 'workspace-locking': false },
      relationships: { team: { data: { id: team.id } }, workspace: { data: { id: workspace } } },
    })
    expect((await api.request('GET', `team-workspaces?filter[workspace][id]=${workspace}`)).many()).toEqual([added])
    expect((await api.request('GET', 'team-workspaces')).status).toBe(400)
    expect((await grant(team.id, workspace, { access: 'read' })).status).toBe(422)
    const path = `team-workspaces/${added.id}`
    const refused = await api.request('PATCH', path, { body: documentOf('team-workspaces', { access: 'read', runs: 'apply' }) })
    expect(refused.status).toBe(422)
    const changed = await api.request('PATCH', path, { body: documentOf('team-workspaces', { access: 'write' }) })
    expect(changed.one().attributes).toMatchObject({ access: 'write', runs: 'apply', variables: 'write', 'workspace-locking': true })
    expect((await api.request('GET', path)).one()).toEqual(changed.one())
    expect((await api.request('DELETE', path)).status).toBe(204)
    expect((await api.request('GET', path)).status).toBe(404)
    expect(await eventsOf(added.id)).toEqual(['team-access.created', 'team-access.updated', 'team-access.deleted'])
    const foreign = await api.newWorkspace((await api.newOrganization()).name)
    expect((await grant(team.id, foreign.id, { access: 'read' })).status).toBe(422)
  })

  it('404 for strangers', async () => {
    const team = await newTeam({ visibility: 'organization' })
    const workspace = (await api.newWorkspace(organization.name)).id
    const { id } = (await grant(team.id, workspace, { access: 'read' })).one()
    const { token } = await api.newUser()
    expect((await grant(team.id, workspace, { access: 'admin' }, token)).status).toBe(404)
    expect(await statusOf('GET', `team-workspaces?filter[workspace][id]=${workspace}`, token)).toBe(404)
    expect(await statusOf('GET', `team-workspaces/${id}`, token)).toBe(404)
    expect(await statusOf('PATCH', `team-workspaces/${id}`, token, documentOf('team-workspaces', { access: 'admin' }))).toBe(404)
    expect(await statusOf('DELETE', `team-workspaces/${id}`, token)).toBe(404)
    expect((await api.request('GET', `team-workspaces/${id}`)).one().attributes['access']).toBe('read')
  })

  it('the highest of several grants counts', async () => {
    const { team, token, user } = await memberWith()
    const workspace = (await api.newWorkspace(organization.name)).id
    const second = await newTeam()
    await change('POST', second.id, [{ user, token }])
    await grant(team, workspace, { access: 'read' })
    await grant(second.id, workspace, { access: 'admin' })
    expect(await statusOf('PATCH', `workspaces/${workspace}`, token, documentOf('workspaces', { description: 'x' }))).toBe(200)
  })

  it('a workspace that a team has locked is not unlocked by a user', async () => {
    const team = await newTeam()
    const workspace = (await api.newWorkspace(organization.name)).id
    await grant(team.id, workspace, { access: 'write' })
    const secret = await newToken(team.id)
    expect(await statusOf('POST', `workspaces/${workspace}/actions/lock`, secret)).toBe(200)
    const { status, errors } = await api.request('POST', `workspaces/${workspace}/actions/unlock`)
    expect(status).toBe(409)
    expect(errors[0]?.detail).toContain('is locked by Team')
    const shown = await api.request('GET', `workspaces/${workspace}?include=locked-by`)
    expect(shown.included).toMatchObject([{ type: 'teams', id: team.id }])
    expect(await statusOf('POST', `workspaces/${workspace}/actions/unlock`, secret)).toBe(200)
  })
})
