import { describe, expect, it } from 'vitest'
import { prologue, workspace } from '../harness/cli-steps.ts'
import { type Project, makeProject } from '../harness/project.ts'
import { recordedServerOfFile } from '../harness/recorded-server.ts'
import { type Step, bodyOf, expectWire } from '../harness/wire.ts'

const server = recordedServerOfFile()

const files = { 'main.tf': 'resource "terraform_data" "a" {}\n' }
const notThere = 'GET organizations/:org/workspaces/:ws 404'
const noState = 'GET workspaces/:id/current-state-version 404'
const made: Step[] = [notThere, 'POST organizations/:org/workspaces 201', 'PATCH workspaces/:id 200']

/** Runs a command that succeeds, without colours; answers stdout and what it asked. */
const succeed = async (project: Project, args: string[], input = '') => {
  server().taken()
  const { code, stdout, stderr } = await project.terraform([...args, '-no-color'], { input })
  expect(code, `${args.join(' ')}\n${stdout}\n${stderr}`).toBe(0)
  return { stdout, asked: server().taken() }
}

const fail = async (project: Project, args: string[]) => {
  server().taken()
  const { code, stderr } = await project.terraform([...args, '-no-color'])
  expect(code, args.join(' ')).toBe(1)
  return { stderr: stderr.replaceAll(/\s+/g, ' '), asked: server().taken() }
}

const read = async (name: string) => (await server().api.call('GET', `organizations/e2e/workspaces/${name}`)).data
const make = (name: string) => server().api.call('POST', 'organizations/e2e/workspaces', { type: 'workspaces', attributes: { name } })

const projectNamed = async (name: string) =>
  (await server().api.call('GET', `organizations/e2e/projects?filter[names]=${name}`)).data[0]?.id

describe('a workspace by name', () => {
  it('SEQ-03: init makes it, with its project; a second init finds both', async () => {
    const project = await makeProject(server(), { name: 'named', files, workspaces: 'name = "named"\nproject = "fresh"' })
    const projects = 'GET organizations/:org/projects?filter[names]=fresh 200'
    const first = await succeed(project, ['init'])
    expectWire(first.asked, [
      ...prologue,
      notThere,
      projects,
      'POST organizations/:org/projects 201',
      'POST organizations/:org/workspaces 201',
      'PATCH workspaces/:id 200',
      noState,
    ])
    const { attributes, relationships } = await read('named')
    expect(attributes).toMatchObject({ 'terraform-version': '1.11.4', 'execution-mode': 'remote' })
    expect(relationships?.['project']?.data).toMatchObject({ id: await projectNamed('fresh') })
    expectWire((await succeed(project, ['init'])).asked, [...prologue, workspace, projects, noState])
  })

  it('SEQ-08: is the only one that is listed, shown and selected; others are refused', async () => {
    const project = await makeProject(server(), { name: 'alone', files })
    await make('beside')
    await succeed(project, ['init'])
    const list = await succeed(project, ['workspace', 'list'])
    expect(list.stdout.trim()).toBe('* alone')
    expectWire(list.asked, prologue)
    expect((await succeed(project, ['workspace', 'show'])).stdout.trim()).toBe('alone')
    expect((await fail(project, ['workspace', 'new', 'other'])).stderr).toContain('workspaces not supported')
    for (const command of ['select', 'delete'])
      expect((await fail(project, ['workspace', command, 'beside'])).stderr).toContain('Workspace "beside" doesn\'t exist')
  })
})

describe('workspaces by flat tags', () => {
  const list = 'GET organizations/:org/workspaces?search[tags]=a,b 200'
  const newProject = (name: string) => makeProject(server(), { name, files, workspaces: 'tags = ["a", "b"]' })

  it('SEQ-04, SEQ-07, SEQ-08, SEQ-09: init, new, list, show, select and delete', async () => {
    const project = await newProject('first')
    expect((await fail(project, ['init', '-input=false'])).stderr).toContain('No existing workspaces')
    const init = await succeed(project, ['init'], 'first\n')
    expect(init.stdout).toContain('There are no workspaces with the configured tags (a, b)')
    const taggedNew: Step[] = [...prologue, list, ...made, 'GET workspaces/:id/tag-bindings 200']
    expectWire(init.asked, [...taggedNew, noState])
    expect((await read('first')).attributes['tag-names']).toEqual(['a', 'b'])
    // Nothing to add to what creation did.
    const again = await succeed(project, ['init'])
    expectWire(again.asked, [...prologue, list, workspace, 'GET workspaces/:id/tag-bindings 200', noState])

    expectWire((await succeed(project, ['workspace', 'new', 'second'])).asked, taggedNew)
    expect((await fail(project, ['workspace', 'new', 'second'])).stderr).toContain('Workspace "second" already exists')
    const listed = await succeed(project, ['workspace', 'list'])
    expect(listed.stdout.trimEnd()).toBe('  first\n* second')
    expectWire(listed.asked, [...prologue, list])
    expect((await succeed(project, ['workspace', 'show'])).stdout.trim()).toBe('second')
    expectWire((await succeed(project, ['workspace', 'select', 'first'])).asked, [...prologue, list])
    expect((await fail(project, ['workspace', 'select', 'third'])).stderr).toContain('Workspace "third" doesn\'t exist')
    await succeed(project, ['workspace', 'select', '-or-create=true', 'third'])
    expect((await fail(project, ['workspace', 'delete', 'third'])).stderr).toContain('You cannot delete the currently active workspace')

    const removed = await succeed(project, ['workspace', 'delete', 'second'])
    expect(removed.stdout).toContain('Deleted workspace "second"!')
    expectWire(removed.asked, [
      ...prologue,
      list,
      workspace,
      'GET workspaces/:id/tag-bindings 200',
      'POST workspaces/:id/actions/lock 200',
      noState,
      'POST workspaces/:id/actions/unlock 200',
      workspace,
      'POST organizations/:org/workspaces/:ws/actions/safe-delete 204',
    ])
    const { status } = await server().api.raw('GET', 'organizations/e2e/workspaces/second')
    expect(status).toBe(404)
    for (const name of ['first', 'third']) await server().api.raw('DELETE', `organizations/e2e/workspaces/${name}`)
  })

  it('SEQ-09: delete refuses what is locked or in use, and -force deletes that too', async () => {
    const project = await newProject('used')
    await succeed(project, ['init'], 'used\n')
    await succeed(project, ['apply', '-auto-approve'])
    await succeed(project, ['workspace', 'new', 'elsewhere'])

    const { id } = await read('used')
    await server().api.call('POST', `workspaces/${id}/actions/lock`)
    const locked = await fail(project, ['workspace', 'delete', 'used'])
    expect(locked.stderr).toContain('workspace already locked (lock ID: "e2e/used")')
    expect(locked.asked.at(-1)).toMatchObject({ method: 'POST', status: 409 })
    await server().api.call('POST', `workspaces/${id}/actions/unlock`)
    expect((await fail(project, ['workspace', 'delete', 'used'])).stderr).toContain(
      'Workspace "used" is currently tracking the following resource instances: - terraform_data.a',
    )

    const forced = await succeed(project, ['workspace', 'delete', '-force', 'used'])
    expect(forced.stdout).toContain('WARNING: "used" was non-empty')
    expectWire(forced.asked.slice(-2), [workspace, 'DELETE organizations/:org/workspaces/:ws 204'])

    // Not asked for a lock, the client leaves it to the server to see that somebody works there.
    await succeed(project, ['workspace', 'new', 'held'])
    await succeed(project, ['workspace', 'select', 'elsewhere'])
    await server().api.call('POST', `workspaces/${(await read('held')).id}/actions/lock`)
    const held = await fail(project, ['workspace', 'delete', '-lock=false', 'held'])
    expect(held.stderr).toContain('Workspace is currently locked. Workspace must be unlocked before it can be safely deleted')
    expectWire(held.asked.slice(-1), ['POST organizations/:org/workspaces/:ws/actions/safe-delete 409'])
  })
})

describe('workspaces by tags with values', () => {
  it('SEQ-05: init adds the tags to a workspace that has none; the project bounds the list', async () => {
    await makeProject(server(), { name: 'valued', files })
    await make('valued')
    const tags = 'tags = { env = "prod", team = "café" }'
    const project = await makeProject(server(), { name: 'valued', files, workspaces: tags })
    // The client sends them in either order, and TagBindings by mistake.
    const list = [
      ['env=prod', 'team=café'],
      ['team=café', 'env=prod'],
    ].map((tags) => {
      const pairs = tags.map((tag) => tag.split('='))
      const parts = [
        ...pairs.map(([key, value]) => `TagBindings={ ${key} ${value}}`),
        ...pairs.flatMap(([key, value], index) => [`filter[tagged][${index}][key]=${key}`, `filter[tagged][${index}][value]=${value}`]),
        `search[tags]=${pairs.map(([key]) => key).join(',')}`,
      ]
      return `GET organizations/:org/workspaces?${parts.join('&')} 200`
    })
    const init = await succeed(project, ['init'], 'valued\n')
    expectWire(init.asked, [
      ...prologue,
      list,
      workspace,
      'GET workspaces/:id/tag-bindings 200',
      'PATCH workspaces/:id/tag-bindings 200',
      noState,
    ])
    expect(bodyOf(init.asked, 'PATCH', '/tag-bindings')).toMatchObject({
      data: expect.arrayContaining([{ type: 'tag-bindings', attributes: { key: 'team', value: 'café' } }]),
    })
    expectWire((await succeed(project, ['init'])).asked, [...prologue, list, workspace, 'GET workspaces/:id/tag-bindings 200', noState])

    // Of a project that is not there yet, the client does not bound the list.
    for (const name of ['bounded', 'empty'])
      await server().api.call('POST', 'organizations/e2e/projects', { type: 'projects', attributes: { name } })
    const inside = await makeProject(server(), { name: 'inside', files, workspaces: `${tags}\nproject = "bounded"` })
    await succeed(inside, ['init'], 'inside\n')
    expect((await read('inside')).relationships?.['project']?.data).toMatchObject({ id: await projectNamed('bounded') })
    await succeed(inside, ['workspace', 'new', 'inside-too'])
    expect((await succeed(inside, ['workspace', 'list'])).stdout.trimEnd()).toBe('  inside\n* inside-too')
    expect((await succeed(project, ['workspace', 'list'])).stdout.match(/\S+$/gm)).toEqual(['inside', 'inside-too', 'valued'])
    const none = await makeProject(server(), { name: 'none', files, workspaces: `${tags}\nproject = "empty"` })
    expect((await fail(none, ['init', '-input=false'])).stderr).toContain('No existing workspaces')
  })
})
