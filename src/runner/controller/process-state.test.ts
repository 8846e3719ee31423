import { link, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../test/harness/temp-dir.ts'
import { runPaths } from '../worker/run-directory.ts'
import { recoverState } from './process-state.ts'

const me = process.getuid?.() ?? 0
const state = (serial: number, lineage = 'one'): string => JSON.stringify({ version: 4, serial, lineage, resources: [] })

const put = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

const recovered = async (root: string, owners = [me]): Promise<string | undefined> => (await recoverState(root, owners))?.toString()

describe('recoverState', () => {
  it('answers the engine’s file byte for byte', async () => {
    const root = await tempDir()
    await put(runPaths(root).stateFile, `${state(3)}\n`)
    expect(await recovered(root)).toBe(`${state(3)}\n`)
  })

  it('prefers a higher serial of the journal or of errored.tfstate, in whatever directory the engine ran', async () => {
    const root = await tempDir()
    const { stateFile, journal, work } = runPaths(root)
    await put(stateFile, state(3))
    await put(join(journal, '1.tfstate'), state(4))
    expect(await recovered(root)).toBe(state(4))
    await put(join(work, 'environments/prod', 'errored.tfstate'), state(5))
    expect(await recovered(root)).toBe(state(5))
    await put(stateFile, state(6))
    expect(await recovered(root)).toBe(state(6))
  })

  it('takes the journal when the engine’s file was cut short', async () => {
    const root = await tempDir()
    const { stateFile, journal } = runPaths(root)
    await put(stateFile, state(9).slice(0, 20))
    await put(join(journal, '1.tfstate'), state(7))
    await put(join(journal, '2.tfstate'), state(8))
    expect(await recovered(root)).toBe(state(8))
  })

  it('ignores an errored.tfstate of another state, for example one in the repository', async () => {
    const root = await tempDir()
    await put(runPaths(root).stateFile, state(3))
    await put(join(runPaths(root).work, 'errored.tfstate'), state(99, 'other'))
    expect(await recovered(root)).toBe(state(3))
  })

  it('answers nothing for a missing directory, a missing file and half a file', async () => {
    const root = await tempDir()
    expect(await recovered(join(root, 'nowhere'))).toBeUndefined()
    expect(await recovered(root)).toBeUndefined()
    await put(runPaths(root).stateFile, '')
    expect(await recovered(root)).toBeUndefined()
  })

  it('does not follow links out of the directory, nor read files of others', async () => {
    const root = await tempDir()
    const outside = await tempDir()
    await put(join(outside, 'terraform.tfstate'), state(3))
    const { state: directory, stateFile } = runPaths(root)
    await symlink(outside, directory)
    expect(await recovered(root)).toBeUndefined()

    const second = await tempDir()
    await mkdir(runPaths(second).state)
    await symlink(join(outside, 'terraform.tfstate'), runPaths(second).stateFile)
    expect(await recovered(second)).toBeUndefined()

    const third = await tempDir()
    await mkdir(runPaths(third).state)
    await link(join(outside, 'terraform.tfstate'), runPaths(third).stateFile)
    expect(await recovered(third)).toBeUndefined()

    const fourth = await tempDir()
    await put(runPaths(fourth).stateFile, state(1))
    expect(await recovered(fourth, [me + 1])).toBeUndefined()
    expect(stateFile).toContain(root)
  })
})
