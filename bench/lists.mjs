// Lists of an organization with 10, 100, 1,000 and 10,000 workspaces, each with a tag; 20 have a run, one has 200. Rows of
// workspaces are copied in the database.
// Usage: node bench/lists.mjs [--calls 20] [--postgres] [--json FILE]; --postgres needs DATABASE_URL, of a server where a database can be made.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createRun, median, printTable, startBenchServer, uploadConfiguration } from './lib.mjs'
import { openBenchDatabase } from './rows.mjs'

const { values } = parseArgs({
  options: { calls: { type: 'string', default: '20' }, postgres: { type: 'boolean', default: false }, json: { type: 'string' } },
})
const SIZES = [10, 100, 1000, 10_000]
const RUNS = 200

const calls = {
  'first page of 20': () => 'workspaces?page[size]=20',
  'page of 100': () => 'workspaces?page[size]=100',
  'last page of 20': (size) => `workspaces?page[size]=20&page[number]=${Math.ceil(size / 20)}`,
  'search by name': (size) => `workspaces?search[name]=w-${size}`,
  'search by tag': () => 'workspaces?search[tags]=odd&page[size]=20',
  'by latest change': () => 'workspaces?sort=-latest-change-at&page[size]=20',
  'by status of the run': () => 'workspaces?filter[current-run][status]=pending&page[size]=20',
  'with run, plan, project, organization': () => 'workspaces?page[size]=20&include=current-run.plan,project,organization',
  'runs of the organization': () => 'runs?page[size]=20',
  'queue of the organization': () => 'runs/queue?page[size]=20',
}

/** A locked workspace with a tag and a configuration, made by the API: what is copied. */
const makeTemplate = async (server, organization) => {
  const { api } = server
  await api('POST', 'organizations', { type: 'organizations', attributes: { name: organization, email: 'b@example.com' } })
  const workspace = (
    await api('POST', `organizations/${organization}/workspaces`, { type: 'workspaces', attributes: { name: 'template' } })
  ).data
  await api('POST', `workspaces/${workspace.id}/relationships/tags`, [{ type: 'tags', attributes: { name: 'odd' } }])
  await api('POST', `workspaces/${workspace.id}/actions/lock`)
  return {
    workspaceId: workspace.id,
    versionId: (await uploadConfiguration(server, workspace.id, 'resource "terraform_data" "one" {}\n')).id,
  }
}

/** Ids and names are numbered from `first` on. */
const fill = async (database, { workspaceId, versionId }, first, size) => {
  const series = { first, count: size - 1 }
  const name = `'w-' || cast(i - ${first} + 1 as text)`
  const [id, version] = [database.idOf('ws'), database.idOf('cv')]
  await database.copy('workspaces', workspaceId, series, { id, current_configuration_version_id: version, name, name_key: name })
  await database.copy('tag_bindings', { workspace_id: workspaceId }, series, { id: database.idOf('tb'), workspace_id: id })
  await database.copy('configuration_versions', versionId, series, { id: version, workspace_id: id })
}

/** Runs that wait, as the workspaces are locked: of the first page by name, and of one workspace. */
const addRuns = async (server, organization, { workspaceId, versionId }) => {
  const { data } = await server.api('GET', `organizations/${organization}/workspaces?page[size]=20`)
  for (const { id, relationships } of data) {
    const version = relationships['current-configuration-version'].data.id
    if (id !== workspaceId) await createRun(server, { workspaceId: id, versionId: version })
  }
  if (organization !== `bench-${SIZES[0]}`) return
  for (let i = 0; i < RUNS; i++) await createRun(server, { workspaceId, versionId })
}

const database = await openBenchDatabase({ isPostgres: values.postgres })
const server = await startBenchServer({ env: database.env })
try {
  await database.open(server.dir)
  const templates = {}
  let first = 1
  for (const size of SIZES) {
    templates[size] = await makeTemplate(server, `bench-${size}`)
    await fill(database, templates[size], first, size)
    await addRuns(server, `bench-${size}`, templates[size])
    first += size
  }
  await database.settle()

  const timed = async (path) => {
    await server.api('GET', path)
    const took = []
    for (let i = 0; i < Number(values.calls); i++) {
      const started = performance.now()
      await server.api('GET', path)
      took.push(performance.now() - started)
    }
    return median(took)
  }
  const result = { database: values.postgres ? 'PostgreSQL' : 'SQLite', medianMs: {} }
  for (const [title, path] of Object.entries(calls)) {
    result.medianMs[title] = {}
    for (const size of SIZES) result.medianMs[title][size] = await timed(`organizations/bench-${size}/${path(size)}`)
  }
  const runs = `workspaces/${templates[10].workspaceId}/runs?page[size]=20`
  result.medianMs[`runs of a workspace with ${RUNS}`] = { [SIZES[0]]: await timed(runs) }
  result.medianMs[`the same, last page`] = { [SIZES[0]]: await timed(`${runs}&page[number]=${RUNS / 20}`) }

  printTable([
    [`${result.database}, median ms, workspaces:`, ...SIZES.map((size) => size.toLocaleString('en'))],
    ...Object.entries(result.medianMs).map(([title, bySize]) => [title, ...SIZES.map((size) => bySize[size]?.toFixed(1) ?? '')]),
  ])
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(result, null, 2))
} finally {
  await database.close()
  await server.stop()
  await database.drop()
}
