import DatabaseDriver from 'better-sqlite3'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, it } from 'vitest'
import { logText, provisionerLines } from '../harness/log-lines.ts'
import type { Project } from '../harness/project.ts'
import { makeSideEffects, type SideEffects } from '../harness/side-effects.ts'
import { serverOfTest } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import { expectNothingLeft } from './expect-nothing-left.ts'
import { makeWorkspace } from './make-workspace.ts'

const args = ['--lease-seconds', '4']
const STEPS = 4

/** An apply that waits in its second step. */
const begin = async (project: Project, effects: SideEffects): Promise<string> => {
  const configuration = effects.configuration({ steps: STEPS, gates: [1, 3], lines: 100 })
  const { id } = await project.uploadAndRun({ 'main.tf': configuration }, { 'auto-apply': true })
  await effects.begun(1)
  return id
}

/** Each step was made once, and told once. */
const expectWhole = async (project: Project, effects: SideEffects, id: string): Promise<void> => {
  const applied = await project.runIn(id, 'applied', 'errored', 'canceled')
  const log = await project.log(applied, 'apply')
  expect(applied.attributes['status'], log.slice(-500)).toBe('applied')
  expect(provisionerLines(log)).toEqual(
    Array.from({ length: STEPS }, (_, step) => Array.from({ length: 100 }, (_line, line) => `step ${step} line ${line}`)).flat(),
  )
  expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 1, 3: 1 })
  expect(await project.resources()).toHaveLength(STEPS)
  expect((await project.workspace()).attributes['locked']).toBe(false)
}

it('a PostgreSQL that goes away in an apply, for longer than the lease: the run goes on, nothing is lost or told twice', async () => {
  const url = process.env['TERRANE_CHAOS_DATABASE_URL'] ?? ''
  const [server, effects] = [await serverOfTest({ postgres: url, args }), await makeSideEffects()]
  const project = await makeWorkspace(server, 'away')
  const id = await begin(project, effects)
  const database = new URL(server.databaseUrl ?? '').pathname.slice(1)
  const administrator = new Client({ connectionString: url })
  await administrator.connect()
  try {
    await administrator.query(`ALTER DATABASE "${database}" ALLOW_CONNECTIONS false`)
    await administrator.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database])
    await effects.open(1)
    await effects.begun(3)
    expect((await server.api.raw('GET', `runs/${id}`)).status).toBeGreaterThanOrEqual(500)
    await pause(8000)
    await effects.open(3)
    await administrator.query(`ALTER DATABASE "${database}" ALLOW_CONNECTIONS true`)
  } finally {
    await administrator.end()
  }
  await expectWhole(project, effects, id)
  await expectNothingLeft([server])
})

it('a SQLite file that somebody else holds locked for longer than a write waits: the run goes on when it is free', async () => {
  const [server, effects] = [await serverOfTest({ args }), await makeSideEffects()]
  const project = await makeWorkspace(server, 'locked')
  const id = await begin(project, effects)
  const other = new DatabaseDriver(join(server.dataDir, 'terrane.db'))
  try {
    other.exec('BEGIN IMMEDIATE')
    await effects.open(1)
    await effects.begun(3)
    await pause(8000)
    await effects.open(3)
    other.exec('ROLLBACK')
  } finally {
    other.close()
  }
  await expectWhole(project, effects, id)
  await expectNothingLeft([server])
})

it('a blob store that cannot be reached in an apply: the run goes on when it is back', async () => {
  const [server, effects] = [await serverOfTest({ args }), await makeSideEffects()]
  const project = await makeWorkspace(server, 'gone')
  const id = await begin(project, effects)
  const blobs = join(server.dataDir, 'blobs')
  await rename(blobs, `${blobs}.away`)
  await effects.open(1)
  await effects.begun(3)
  await waitFor(() => server.stderr().includes('it will be taken up again'), { timeoutMs: 30_000, what: 'the server to notice' })
  await rename(`${blobs}.away`, blobs)
  await effects.open(3)
  await expectWhole(project, effects, id)
  await expectNothingLeft([server])
})

/** Changes one byte in the middle of each blob; answers how to change them back. */
const damage = async (blobs: string): Promise<() => Promise<void>> => {
  const entries = await readdir(blobs, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.endsWith('/uploads'))
  const flip = async (): Promise<void> => {
    for (const { parentPath, name } of files) {
      const bytes = await readFile(join(parentPath, name))
      const middle = Math.floor(bytes.length / 2)
      bytes[middle] = (bytes[middle] ?? 0) ^ 0xff
      await writeFile(join(parentPath, name), bytes)
    }
  }
  await flip()
  return flip
}

it('damaged blobs: a run ends with the reason, its workspace is free, and after a restore all is as before', async () => {
  const server = await serverOfTest()
  const project = await makeWorkspace(server, 'damaged')
  const files = { 'main.tf': 'resource "terraform_data" "a" {}\n' }
  await project.runIn((await project.uploadAndRun(files, { 'auto-apply': true })).id, 'applied')
  const { id: workspaceId } = await project.workspace()
  const repair = await damage(join(server.dataDir, 'blobs'))
  const relationships = { workspace: { data: { type: 'workspaces', id: workspaceId } } }
  const again = async () =>
    (await server.api.call('POST', 'runs', { type: 'runs', attributes: { 'auto-apply': true }, relationships })).data.id
  const errored = await project.runIn(await again(), 'errored', 'applied', 'planned_and_finished')
  expect(errored.attributes['status']).toBe('errored')
  expect(logText(await project.log(errored, 'plan'))).toContain('A stored file is damaged. Restore it from a backup.')
  expect((await project.workspace()).attributes['locked']).toBe(false)
  await expect(project.resources()).rejects.toThrow(/500|aborted/)
  await repair()
  await project.runIn(await again(), 'planned_and_finished')
  expect(await project.resources()).toHaveLength(1)
  await expectNothingLeft([server])
})
