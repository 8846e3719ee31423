import { cp, mkdir, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { serverOfTest } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'

const fixtures = fileURLToPath(new URL('../fixtures/upgrade', import.meta.url))
const dialect = process.env['TERRANE_TEST_DATABASE_URL'] === undefined ? 'sqlite' : 'postgres'

type Facts = { workspaceId: string; runId: string; digest: string }

/** Puts the data of an earlier build where the server will look. */
const restore =
  (fixture: string) =>
  async ({ dataDir, databaseUrl }: { dataDir: string; databaseUrl: string | undefined }): Promise<void> => {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    for (const name of ['blobs', 'admin.token']) await cp(join(fixture, name), join(dataDir, name), { recursive: true })
    if (databaseUrl === undefined) return cp(join(fixture, 'terrane.db'), join(dataDir, 'terrane.db'))
    const client = new Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query(await readFile(join(fixture, 'dump.sql'), 'utf8'))
    await client.end()
  }

describe('the data of an earlier build', async () => {
  for (const version of await readdir(fixtures)) {
    it(`${version} opens, reads and runs on`, async () => {
      const fixture = join(fixtures, version, dialect)
      // safe because scripts/make-upgrade-fixture.mjs wrote it
      const facts = JSON.parse(await readFile(join(fixture, 'facts.json'), 'utf8')) as Facts
      // Checked out files may be readable by others, which the server refuses in a key file.
      const TERRANE_INSTALLATION_KEY = (await readFile(join(fixture, 'installation.key'), 'utf8')).trim()
      const { api } = await serverOfTest({ before: restore(fixture), env: { TERRANE_INSTALLATION_KEY } })
      const { data: run } = await api.call('GET', `runs/${facts.runId}`)
      expect(run.attributes['status']).toBe('applied')
      const outputs = await api.call('GET', `workspaces/${facts.workspaceId}/current-state-version-outputs`)
      expect(outputs.data.map(({ attributes }) => attributes['value'])).toEqual([facts.digest])
      // Builds before there were teams had owners: they are in a team now.
      const { data: mine } = await api.call('GET', 'organizations')
      const { data: teams } = await api.call('GET', `organizations/${mine[0]?.id}/teams`)
      expect(teams).toMatchObject([{ attributes: { name: 'owners', 'users-count': 1 } }])
      // Opens the sealed variable, the stored configuration and the stored state.
      const again = await api.call('POST', 'runs', {
        type: 'runs',
        relationships: { workspace: { data: { type: 'workspaces', id: facts.workspaceId } } },
      })
      const ended = await waitFor(
        async () => {
          const { attributes } = (await api.call('GET', `runs/${again.data.id}`)).data
          return ['planned_and_finished', 'planned', 'errored'].includes(String(attributes['status'])) && attributes
        },
        { timeoutMs: 60_000, everyMs: 100, what: 'the end of the plan' },
      )
      expect(ended).toMatchObject({ status: 'planned_and_finished', 'has-changes': false })
    })
  }
})
