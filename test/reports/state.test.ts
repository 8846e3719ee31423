import { describe, expect, it } from 'vitest'
import { documentOf } from '../harness/api.ts'
import { makeControllers } from '../harness/controllers.ts'
import { isAbsent } from '../harness/requirements.ts'

describe.skipIf(isAbsent('terraform'))('the state of a workspace', () => {
  it('R015: that was rolled back is applied on: the serial goes on in the row and in the file', async () => {
    const api = await makeControllers()
    api.startController()
    const { id } = await api.newWorkspace()
    const apply = async (word: string): Promise<void> => {
      await api.configured(id, { 'main.tf': `output "word" {\n  value = "${word}"\n}\n` })
      await api.runIn(await api.newRun(id, { 'auto-apply': true }), 'applied')
    }
    const current = async () => {
      const version = (await api.request('GET', `workspaces/${id}/current-state-version`)).one()
      const { text } = await api.request('GET', String(version.attributes['hosted-state-download-url']), { token: '' })
      const { serial, outputs } = JSON.parse(text) as { serial: number; outputs: { word: { value: string } } }
      return { id: version.id, inRow: version.attributes['serial'], inFile: serial, word: outputs.word.value }
    }
    await apply('one')
    const first = await current()
    await apply('two')
    await apply('three')
    const third = await current()
    expect(third).toMatchObject({ inRow: third.inFile, word: 'three' })

    await api.request('POST', `workspaces/${id}/actions/lock`)
    const relationship = { 'rollback-state-version': { data: { type: 'state-versions', id: first.id } } }
    const answer = await api.request('PATCH', `workspaces/${id}/state-versions`, { body: documentOf('state-versions', {}, relationship) })
    expect(answer.status).toBe(201)
    await api.request('POST', `workspaces/${id}/actions/unlock`)
    const serial = third.inFile + 1
    expect(await current()).toMatchObject({ inRow: serial, inFile: serial, word: 'one' })

    await apply('four')
    expect(await current()).toMatchObject({ inRow: serial + 1, inFile: serial + 1, word: 'four' })
  })
})
