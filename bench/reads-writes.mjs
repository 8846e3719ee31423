// Typical calls by 1, 8 and 32 clients at once: requests a second, and how long one takes. Usage: node bench/reads-writes.mjs [--ms 1000] [--json FILE]
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createRun, percentile, printTable, startBenchServer, uploadConfiguration } from './lib.mjs'

const { values } = parseArgs({ options: { ms: { type: 'string', default: '1000' }, json: { type: 'string' } } })
const CLIENTS = [1, 8, 32]

const server = await startBenchServer()
const { api } = server

const makeWorkspace = async (name) =>
  (await api('POST', 'organizations/bench/workspaces', { type: 'workspaces', attributes: { name } })).data.id

/** A workspace that is locked, so that its runs wait, with a configuration and a run; and one that is free. */
const makeClient = async (name) => {
  const id = await makeWorkspace(name)
  await api('POST', `workspaces/${id}/actions/lock`)
  const versionId = (await uploadConfiguration(server, id, 'resource "terraform_data" "one" {}\n')).id
  const runId = (await createRun(server, { workspaceId: id, versionId })).id
  return { id, versionId, runId, freeId: await makeWorkspace(`${name}-free`), serial: 0, number: 0 }
}

const stateOf = (serial) => {
  const resource = (i) => ({
    mode: 'managed',
    type: 'terraform_data',
    name: `r${i}`,
    provider: 'provider["terraform.io/builtin/terraform"]',
    instances: [],
  })
  const text = JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage: 'bench',
    outputs: { one: { value: 'x', type: 'string' } },
    resources: Array.from({ length: 20 }, (_, i) => resource(i)),
  })
  return { serial, lineage: 'bench', md5: createHash('md5').update(text).digest('hex'), state: Buffer.from(text).toString('base64') }
}

/** Each client has a workspace of its own. */
const operations = {
  'GET a workspace': ({ id }) => api('GET', `workspaces/${id}`),
  'GET a run': ({ runId }) => api('GET', `runs/${runId}`),
  'lock and unlock': async ({ freeId }) => {
    await api('POST', `workspaces/${freeId}/actions/lock`)
    await api('POST', `workspaces/${freeId}/actions/unlock`)
  },
  'POST a variable': (client) =>
    api('POST', `workspaces/${client.id}/vars`, { type: 'vars', attributes: { key: `k${client.number++}`, value: 'x', category: 'env' } }),
  'POST a state version': (client) =>
    api('POST', `workspaces/${client.id}/state-versions`, { type: 'state-versions', attributes: stateOf(++client.serial) }),
  'POST a run': ({ id, versionId }) => createRun(server, { workspaceId: id, versionId }),
}

const measure = async (clients, operation) => {
  const took = []
  const started = performance.now()
  const end = started + Number(values.ms)
  const work = async (client) => {
    while (performance.now() < end) {
      const begun = performance.now()
      await operation(client)
      took.push(performance.now() - begun)
    }
  }
  await Promise.all(clients.map(work))
  return { perSecond: (took.length * 1000) / (performance.now() - started), p50Ms: percentile(took, 50), p95Ms: percentile(took, 95) }
}

try {
  await api('POST', 'organizations', { type: 'organizations', attributes: { name: 'bench', email: 'b@example.com' } })
  const clients = []
  for (let i = 0; i < Math.max(...CLIENTS); i++) clients.push(await makeClient(`w${i}`))
  const result = {}
  for (const [title, operation] of Object.entries(operations)) {
    // The first call of a kind warms caches.
    await operation(clients[0])
    result[title] = {}
    for (const count of CLIENTS) result[title][count] = await measure(clients.slice(0, count), operation)
  }
  const cells = ({ perSecond, p50Ms, p95Ms }) => [perSecond.toFixed(0), p50Ms.toFixed(1), p95Ms.toFixed(1)]
  printTable([
    ['clients:', ...CLIENTS.flatMap((count) => [String(count), '', ''])],
    ['', ...CLIENTS.flatMap(() => ['per s', 'p50 ms', 'p95 ms'])],
    ...Object.entries(result).map(([title, byClients]) => [title, ...CLIENTS.flatMap((count) => cells(byClients[count]))]),
  ])
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(result, null, 2))
} finally {
  await server.stop()
}
