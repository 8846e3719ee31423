import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, testName, type TestOrganization } from '../../harness/api.ts'
import { makeWorkspaceApi, type WorkspaceApi } from '../../harness/workspaces.ts'

let api: WorkspaceApi
let organization: TestOrganization
beforeAll(async () => {
  api = await makeWorkspaceApi()
  organization = await api.newOrganization()
})
afterAll(() => api.drop())

const create = (attributes: Record<string, unknown>, relationships?: Record<string, unknown>, headers?: Record<string, string>) =>
  api.request('POST', `organizations/${organization.name}/workspaces`, {
    body: documentOf('workspaces', attributes, relationships),
    ...(headers === undefined ? {} : { headers }),
  })

describe('POST organizations/:organization/workspaces', () => {
  it('201: defaults for all that is not given', async () => {
    const name = testName('ws')
    const { status, one } = await create({ name })
    expect(status).toBe(201)
    expect(one()).toMatchObject({
      type: 'workspaces',
      id: expect.stringMatching(/^ws-[1-9A-HJ-NP-Za-km-z]{16}$/),
      attributes: {
        name,
        description: null,
        actions: { 'is-destroyable': true },
        'allow-destroy-plan': true,
        'assessments-enabled': false,
        'auto-apply': false,
        'auto-apply-run-trigger': false,
        'auto-destroy-at': null,
        'auto-destroy-activity-duration': null,
        'can-queue-destroy-plan': true,
        environment: 'default',
        'execution-mode': 'remote',
        operations: true,
        'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
        'file-triggers-enabled': true,
        'global-remote-state': false,
        'project-remote-state': false,
        'inherits-project-auto-destroy': true,
        locked: false,
        'queue-all-runs': false,
        'speculative-enabled': true,
        'structured-run-output-enabled': true,
        source: 'tfe-api',
        'source-name': null,
        'source-url': null,
        'terraform-version': '1.11.4',
        'trigger-prefixes': [],
        'trigger-patterns': [],
        'tag-names': [],
        'vcs-repo': null,
        'working-directory': '',
        'resource-count': 0,
        'hyok-enabled': false,
      },
      relationships: {
        organization: { data: { type: 'organizations', id: organization.name } },
        project: { data: { type: 'projects', id: organization.defaultProjectId } },
        'current-run': { data: null },
        'current-state-version': { data: null },
        'current-configuration-version': { data: null },
        'locked-by': { data: null },
        vars: { data: [] },
        outputs: { data: [] },
        'tag-bindings': { data: [] },
        'effective-tag-bindings': { data: [] },
      },
      links: {
        self: `/api/v2/organizations/${organization.name}/workspaces/${name}`,
        'self-html': `/app/${organization.name}/workspaces/${name}`,
      },
    })
    expect(one().attributes['created-at']).toBe(one().attributes['updated-at'])
  })

  it('201: every permission the clients know is there, for an owner all but the unbuilt one', async () => {
    const { attributes } = await api.newWorkspace(organization.name)
    const permissions = attributes['permissions'] as Record<string, boolean>
    const names =
      'update destroy queue-run read-run read-variable update-variable read-state-versions read-state-outputs create-state-versions '
    const more =
      'queue-apply queue-destroy lock unlock force-unlock read-settings manage-tags manage-run-tasks force-delete manage-assessments '
    const rest = 'read-assessment-results manage-ephemeral-workspaces manage-hyok'
    const expected = `${names}${more}${rest}`.split(' ').map((name) => `can-${name}`)
    expect(Object.keys(permissions).sort()).toEqual(expected.sort())
    expect(Object.entries(permissions).filter(([, allowed]) => !allowed)).toEqual([['can-manage-hyok', false]])
  })

  it('201: all settings are kept, and create, read by id, read by name and list answer the same', async () => {
    const settings = {
      name: testName('ws'),
      description: 'Überblick 🚀',
      'allow-destroy-plan': false,
      'assessments-enabled': true,
      'auto-apply': true,
      'auto-apply-run-trigger': true,
      'auto-destroy-at': '2025-01-01T00:00:00Z',
      'auto-destroy-activity-duration': '14d',
      'execution-mode': 'local',
      'file-triggers-enabled': false,
      'global-remote-state': true,
      'inherits-project-auto-destroy': false,
      'queue-all-runs': true,
      'speculative-enabled': false,
      'structured-run-output-enabled': false,
      'source-name': 'my-app',
      'source-url': 'http://my-app-hostname.io',
      'terraform-version': '~> 1.11.0',
      'trigger-prefixes': ['/modules', '/shared'],
      'working-directory': 'bar/',
    }
    const tags = {
      data: [
        { type: 'tags', attributes: { name: 'tag1' } },
        { type: 'tags', attributes: { name: 'tag2' } },
      ],
    }
    const made = await create(settings, {
      tags,
      'tag-bindings': { data: [{ type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } }] },
    })
    expect(made.status).toBe(201)
    expect(made.one().attributes).toMatchObject({
      ...settings,
      'auto-destroy-at': '2025-01-01T00:00:00.000Z',
      operations: false,
      'setting-overwrites': { 'execution-mode': true, 'agent-pool': true },
      'can-queue-destroy-plan': false,
      'tag-names': ['tag1', 'tag2', 'env'],
    })

    const byId = await api.request('GET', `workspaces/${made.one().id}`)
    const byName = await api.request('GET', `organizations/${organization.name}/workspaces/${settings.name}`)
    const list = await api.request('GET', `organizations/${organization.name}/workspaces?search[name]=${settings.name}`)
    expect(byId.one()).toEqual(made.one())
    expect(byName.one()).toEqual(made.one())
    expect(list.many()).toEqual([made.one()])
  })

  it('201: snake_case names, and what terraform sends', async () => {
    const headers = { 'terraform-version': '1.11.4', 'x-terraform-integration': 'cloud' }
    const relationships = { project: { data: { type: 'projects', id: organization.defaultProjectId } } }
    const { status, one } = await create({ name: testName('ws'), terraform_version: '1.10.5' }, relationships, headers)
    expect(status).toBe(201)
    expect(one().attributes).toMatchObject({ 'terraform-version': '1.10.5', source: 'terraform' })
  })

  it('201: the execution mode is inherited from the organization', async () => {
    const local = await api.newOrganization()
    await api.request('PATCH', `organizations/${local.name}`, { body: documentOf('organizations', { 'default-execution-mode': 'local' }) })
    const inherited = await api.newWorkspace(local.name, { 'setting-overwrites': { 'execution-mode': false } })
    const own = await api.newWorkspace(local.name, { 'execution-mode': 'remote' })
    expect(inherited.attributes).toMatchObject({
      'execution-mode': 'local',
      operations: false,
      'setting-overwrites': { 'execution-mode': false },
    })
    expect(own.attributes).toMatchObject({ 'execution-mode': 'remote', operations: true, 'setting-overwrites': { 'execution-mode': true } })
  })

  it('422: a name that is taken, whatever its case', async () => {
    const { attributes } = await api.newWorkspace(organization.name, { name: testName('Taken') })
    const { status, errors } = await create({ name: String(attributes['name']).toUpperCase() })
    expect(status).toBe(422)
    expect(errors).toMatchObject([
      { title: 'invalid attribute', detail: 'Name has already been taken', source: { pointer: '/data/attributes/name' } },
    ])
    const other = await api.newOrganization()
    expect((await api.newWorkspace(other.name, { name: attributes['name'] })).attributes['name']).toBe(attributes['name'])
  })

  it.each([
    ['no name', {}, /^Name can't be blank$/],
    ['an empty name', { name: '' }, /^Name can't be blank$/],
    ['a name with spaces', { name: 'a b' }, /may only contain letters, numbers, "-" and "_"/],
    ['a name with a slash', { name: '../x' }, /may only contain letters, numbers, "-" and "_"/],
    ['a name that is too long', { name: 'a'.repeat(91) }, /^Name is too long/],
    ['an unknown version', { 'terraform-version': 'nonexisting' }, /^Terraform version "nonexisting" is not known/],
    ['an empty version', { 'terraform-version': '' }, /^Terraform version "" is not known/],
    ['an absolute working directory', { 'working-directory': '/etc' }, /must be relative/],
    ['a working directory outside', { 'working-directory': 'a/../../b' }, /may not contain "\.\."/],
    [
      'a bad duration',
      { 'auto-destroy-activity-duration': '14w' },
      /^Auto destroy activity duration has an incorrect format, we expect up to 4 numeric digits and 1 unit \('d' or 'h'\)$/,
    ],
    ['a bad time', { 'auto-destroy-at': 'tomorrow' }, /^Auto destroy at must be a time/],
    ['agents without a pool', { 'execution-mode': 'agent' }, /must be specified when using 'agent' execution mode/],
    ['agents', { 'execution-mode': 'agent', 'agent-pool-id': 'apool-1' }, /agent pool does not exist/],
    ['a pool without agents', { 'agent-pool-id': 'apool-1' }, /must not be specified unless using 'agent' execution mode/],
    ['operations and execution mode', { operations: true, 'execution-mode': 'remote' }, /operations is deprecated and cannot be specified/],
    [
      'contradicting overwrites',
      { 'setting-overwrites': { 'execution-mode': true, 'agent-pool': false } },
      /^If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same\.$/,
    ],
    ['prefixes and patterns', { 'trigger-prefixes': ['a'], 'trigger-patterns': ['b'] }, /cannot be used at the same time/],
    [
      'both ways of sharing state',
      { 'global-remote-state': true, 'project-remote-state': true },
      /^Project remote state cannot be enabled when global remote state sharing is enabled$/,
    ],
    ['a repository', { 'vcs-repo': { identifier: 'a/b' } }, /^VCS connections are not supported/],
    ['a value of a wrong type', { 'auto-apply': 'yes' }, /^Auto apply must be true or false$/],
  ])('422: %s', async (what, attributes, detail) => {
    const { status, errors } = await create(what === 'no name' ? attributes : { name: testName('ws'), ...attributes })
    expect(status).toBe(422)
    expect(errors[0]?.title).toBe('invalid attribute')
    expect(errors[0]?.detail).toMatch(detail)
    expect(errors[0]?.source?.pointer).toMatch(/^\/data\/attributes\//)
  })

  it('422: a project of another organization', async () => {
    const other = await api.newOrganization()
    const { status, errors } = await create(
      { name: testName('ws') },
      { project: { data: { type: 'projects', id: other.defaultProjectId } } },
    )
    expect(status).toBe(422)
    expect(errors).toMatchObject([{ source: { pointer: '/data/relationships/project' } }])
  })

  it('422: nothing is left of a workspace whose tags were refused', async () => {
    const name = testName('ws')
    const { status } = await create({ name }, { tags: { data: [{ type: 'tags', attributes: { name: 'with space' } }] } })
    expect(status).toBe(422)
    expect((await api.request('GET', `organizations/${organization.name}/workspaces/${name}`)).status).toBe(404)
  })

  it('404: an organization that does not exist', async () => {
    const body = documentOf('workspaces', { name: 'a' })
    expect((await api.request('POST', 'organizations/nonexisting/workspaces', { body })).status).toBe(404)
  })

  it('404: an organization of others, whatever is sent', async () => {
    const { token } = await api.newUser()
    const body = documentOf('workspaces', { name: 'not valid', 'terraform-version': 'nonexisting' })
    expect((await api.request('POST', `organizations/${organization.name}/workspaces`, { token, body })).status).toBe(404)
  })
})
