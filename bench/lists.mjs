// Lists of an organization with 10, 100, 1,000 and 10,000 workspaces, each with a tag and a run, of which one in twenty waits; one of them with 1,000 runs.
// Rows are copied in the database.
// Usage: node bench/lists.mjs [--calls 20] [--postgres] [--json FILE]; --postgres needs DATABASE_URL, of a server where a database can be made.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createRun, median, printTable, startBenchServer, uploadConfiguration } from './lib.mjs'
import { openBenchDatabase } from './rows.mjs'

const { values } = parseArgs({
  options: { calls: { type: 'string', default: '20' }, postgres: { type: 'boolean', default: false }, json: { type: 'string' } },
})
const SIZES = [10, 100, 1000, 10_000]
const RUNS = 1000

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

/** One workspace with a tag and a run that waits, made by the API: what is copied. */
const makeTemplate = async (server, organization) => {
  const { api } = server
  await api('POST', 'organizations', { type: 'organizations', attributes: { name: organization, email: 'b@example.com' } })
  const workspace = (
    await api('POST', `organizations/${organization}/workspaces`, { type: 'workspaces', attributes: { name: 'template' } })
  ).data
  await api('POST', `workspaces/${workspace.id}/relationships/tags`, [{ type: 'tags', attributes: { name: 'odd' } }])
  await api('POST', `workspaces/${workspace.id}/actions/lock`)
  const version = await uploadConfiguration(server, workspace.id, 'resource "terraform_data" "one" {}\n')
  return { workspaceId: workspace.id, run: await createRun(server, { workspaceId: workspace.id, versionId: version.id }) }
}

/** Ids and names are numbered from `first` on. */
const fill = async (database, { workspaceId, run }, first, size) => {
  const series = { first, count: size - 1 }
  const [plan, apply] = [run.relationships.plan.data.id, run.relationships.apply.data.id]
  const name = `'w-' || cast(i - ${first} + 1 as text)`
  const ids = { id: database.idOf('ws'), current_run_id: database.idOf('run') }
  await database.copy('workspaces', workspaceId, series, { ...ids, name, name_key: name })
  await database.copy('tag_bindings', { workspace_id: workspaceId }, series, { id: database.idOf('tb'), workspace_id: ids.id })
  const runIds = { id: database.idOf('run'), workspace_id: ids.id, plan_id: database.idOf('plan'), apply_id: database.idOf('apply') }
  const isWaiting = 'i % 20 = 0'
  await database.copy('runs', run.id, series, {
    ...runIds,
    is_open: isWaiting,
    status: `CASE WHEN ${isWaiting} THEN 'pending' ELSE 'applied' END`,
  })
  await database.copy('phases', plan, series, { id: runIds.plan_id, run_id: runIds.id })
  await database.copy('phases', apply, series, { id: runIds.apply_id, run_id: runIds.id })
}

const addRuns = async (database, { run }, first) => {
  const series = { first, count: RUNS }
  const ids = { id: database.idOf('run'), plan_id: database.idOf('plan'), apply_id: database.idOf('apply') }
  await database.copy('runs', run.id, series, {
    ...ids,
    position: `position + i - ${first} + 1`,
    is_open: database.no,
    status: `'discarded'`,
  })
  await database.copy('phases', run.relationships.plan.data.id, series, { id: ids.plan_id, run_id: ids.id })
  await database.copy('phases', run.relationships.apply.data.id, series, { id: ids.apply_id, run_id: ids.id })
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
    first += size
  }
  await addRuns(database, templates[10], first)
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
