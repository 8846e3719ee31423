import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestOrganization, documentOf, testName } from '../../harness/api.ts'
import { type WorkspaceApi, makeWorkspaceApi } from '../../harness/workspaces.ts'

let api: WorkspaceApi
let organization: TestOrganization
beforeAll(async () => {
  api = await makeWorkspaceApi()
  organization = await api.newOrganization()
})
afterAll(() => api.drop())

const byTofu = { 'user-agent': 'OpenTofu/1.12.6', 'terraform-version': '1.12.6' }
const byTerraform = { 'user-agent': 'go-tfe', 'terraform-version': '1.11.4' }

const create = (attributes: Record<string, unknown>, headers: Record<string, string> = {}) =>
  api.request('POST', `organizations/${organization.name}/workspaces`, {
    body: documentOf('workspaces', { name: testName('ws'), ...attributes }),
    headers,
  })
const update = (id: string, attributes: Record<string, unknown>, headers: Record<string, string> = {}) =>
  api.request('PATCH', `workspaces/${id}`, { body: documentOf('workspaces', attributes), headers })

const terraform = { engine: 'terraform', 'terraform-version': '1.11.4' }
const tofu = { engine: 'tofu', 'terraform-version': '1.12.6' }

describe('the engine of a workspace', () => {
  it.each([
    ['terraform without a word', {}, {}, terraform],
    ['terraform for the CLI of Terraform', {}, byTerraform, terraform],
    ['tofu for the CLI of OpenTofu', {}, byTofu, tofu],
    ['tofu for its backend "remote", which sends its version', { 'terraform-version': '1.12.6' }, byTofu, tofu],
    ['tofu when asked for', { engine: 'tofu' }, {}, tofu],
    ['terraform when asked for, whoever asks', { engine: 'terraform' }, byTofu, terraform],
    ['the default when null', { engine: null }, byTofu, terraform],
  ])('is %s', async (_, attributes, headers, expected) => {
    expect((await create(attributes, headers)).one().attributes).toMatchObject(expected)
  })

  it('decides which versions are known', async () => {
    const version = { 'terraform-version': '1.12.6' }
    expect((await create(version)).errors[0]?.detail).toMatch(/^Terraform version "1\.12\.6" is not known/)
    expect((await create({ engine: 'tofu', 'terraform-version': '1.11.4' })).errors[0]?.detail).toMatch(
      /^OpenTofu version "1\.11\.4" is not known/,
    )
    expect((await create({ engine: 'otf' })).status).toBe(422)
  })

  it('can be changed, with its version or to its newest one', async () => {
    const { id } = (await create({ 'terraform-version': '1.10.5' })).one()
    expect((await update(id, { 'terraform-version': '1.12.6' }, byTofu)).status).toBe(422)
    expect((await update(id, { engine: 'terraform' })).one().attributes).toMatchObject({
      engine: 'terraform',
      'terraform-version': '1.10.5',
    })
    expect((await update(id, { engine: 'tofu' })).one().attributes).toMatchObject(tofu)
    expect((await update(id, { 'terraform-version': '1.12.6' })).one().attributes).toMatchObject(tofu)
    expect((await update(id, { engine: 'terraform', 'terraform-version': '1.10.5' })).one().attributes).toMatchObject({
      engine: 'terraform',
      'terraform-version': '1.10.5',
    })
    expect((await update(id, { engine: null })).one().attributes['terraform-version']).toBe('1.10.5')
  })
})
