import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { packCommit, packEntries, packTree } from '../harness/archive.ts'
import { type Controllers, makeControllers } from '../harness/controllers.ts'
import { isAbsent } from '../harness/requirements.ts'

/** A version with this archive, and the answer to its upload. */
const uploaded = async (api: Controllers, workspaceId: string, archive: Buffer) => {
  const version = await api.newConfiguration(workspaceId)
  return { id: version.id, answer: await api.upload(version.attributes['upload-url'], archive) }
}

/** Applies the archive; answers the outputs. */
const applied = async (api: Controllers, workspaceId: string, archive: Buffer): Promise<Record<string, unknown>> => {
  const { id, answer } = await uploaded(api, workspaceId, archive)
  expect(answer.status, answer.text).toBe(200)
  await api.runIn(await api.newRun(workspaceId, { 'auto-apply': true }, { configurationVersion: id }), 'applied')
  const outputs = (await api.request('GET', `workspaces/${workspaceId}/current-state-version-outputs`)).many()
  return Object.fromEntries(outputs.map(({ attributes }) => [attributes['name'], attributes['value']]))
}

const main = 'resource "terraform_data" "one" {}\noutput "done" {\n  value = true\n}\n'

describe.skipIf(isAbsent('terraform'))('an uploaded configuration', () => {
  it('R001: with a link that leads nowhere is accepted and planned', async () => {
    const api = await makeControllers()
    api.startController()
    const { id } = await api.newWorkspace()
    const tree = { 'main.tf': main, priv: { link: './does/not/exist' }, 'sub/up': { link: '../nor/this' } }
    expect(await applied(api, id, await packTree(tree))).toEqual({ done: true })
  })

  it('R005: with a link to a directory reads through it, from a working directory too', async () => {
    const api = await makeControllers()
    api.startController()
    const { id } = await api.newWorkspace({ 'working-directory': 'dev' })
    const tree = {
      '_common/extra/x.txt': 'through the link',
      'dev/extra': { link: '../_common/extra' },
      'dev/main.tf': 'output "x" {\n  value = file("extra/x.txt")\n}\n',
    }
    expect(await applied(api, id, await packTree(tree))).toEqual({ x: 'through the link' })
  })

  it('R004: with a file behind two links reads the file', async () => {
    const api = await makeControllers()
    api.startController()
    const { id } = await api.newWorkspace({ 'working-directory': 'app/ws1' })
    const tree = {
      'common.tf': main,
      'app/common/common.tf': { link: '../../common.tf' },
      'app/ws1/common.tf': { link: '../common/common.tf' },
    }
    expect(await applied(api, id, await packTree(tree))).toEqual({ done: true })
  })

  it('R009: packed as "." or with a global header is what lies below; a single top directory is kept', async () => {
    const api = await makeControllers()
    api.startController()
    const { id } = await api.newWorkspace()
    expect(await applied(api, id, await packTree({ 'main.tf': main, 'm/empty.txt': '' }))).toEqual({ done: true })

    expect(await applied(api, id, await packCommit({ 'main.tf': `${main}output "git" {\n  value = true\n}\n` }))).toEqual({
      done: true,
      git: true,
    })

    const { id: below } = await api.newWorkspace({ 'working-directory': 'repo-abc123' })
    expect(await applied(api, below, await packTree({ 'repo-abc123/main.tf': main }))).toEqual({ done: true })
  })

  it('R010: without its working directory ends with one clear error', async () => {
    const api = await makeControllers()
    api.startController()
    const { id } = await api.newWorkspace({ 'working-directory': 'staging' })
    const { id: version } = await uploaded(api, id, await packTree({ 'main.tf': main }))
    const run = await api.newRun(id, {}, { configurationVersion: version })
    await api.runIn(run, 'errored')
    expect(await api.logOf(run, 'plan')).toContain('The working directory \\"staging\\" does not exist in the configuration.')
    expect(await api.lockOf(id)).toBeUndefined()
  })
})

describe('an uploaded configuration that leaves its archive', () => {
  it('R002: is refused, named in the version, and ends the run that waits for it', async () => {
    const api = await makeControllers()
    api.startController()
    const outside = await mkdtemp(join(tmpdir(), 'terrane-outside-'))
    onTestFinished(() => rm(outside, { recursive: true, force: true }))
    const { id } = await api.newWorkspace()
    const hostile: [entry: string, archive: Buffer][] = [
      ['.terraform/providers/x', packEntries(['main.tf', main], ['.terraform/providers/x', { link: '../../../../../../user/cache/x' }])],
      ['l', packEntries(['main.tf', main], ['l', { link: outside }], ['l/pwned', 'owned'])],
      ['l/pwned', packEntries(['main.tf', main], ['d/f', ''], ['l', { link: 'd' }], ['l/pwned', 'owned'])],
    ]
    for (const [entry, archive] of hostile) {
      const version = await api.newConfiguration(id)
      const waiting = await api.newRun(id, {}, { configurationVersion: version.id })
      expect(await api.statusOf(waiting)).toBe('pending')
      expect((await api.upload(version.attributes['upload-url'], archive)).status).toBe(422)
      const { attributes } = (await api.request('GET', `configuration-versions/${version.id}`)).one()
      expect(attributes).toMatchObject({ status: 'errored', error: expect.any(String) })
      expect(attributes['error-message']).toContain(`"${entry}"`)
      expect(await api.statusOf(waiting)).toBe('errored')
      const log = await api.logOf(waiting, 'plan')
      expect(log).toContain(entry)
      expect(log.endsWith('\u0003')).toBe(true)
      expect((await api.postRun(id, {}, { configurationVersion: version.id })).status).toBe(422)
    }
    expect(await readdir(outside)).toEqual([])
    // Nothing is in the way of the next run.
    expect(await applied(api, id, await packTree({ 'main.tf': main }))).toEqual({ done: true })
  })
})
