// A state of 20 MB: uploaded to its URL, with all that the server finds in it afterwards, and downloaded. Time, and what it adds to the memory of the
// server at the peak. Usage: node bench/state.mjs [--rounds 5] [--json FILE]
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { median, memoryMegabytes, printTable, resetPeakMemory, startBenchServer } from './lib.mjs'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, json: { type: 'string' } } })
const BYTES = 20_000_000

/** About BYTES long: resources of a kilobyte each. */
const makeState = (serial) => {
  const resource = (i) => ({
    mode: 'managed',
    type: 'terraform_data',
    name: `r${i}`,
    provider: 'provider["terraform.io/builtin/terraform"]',
    instances: [
      {
        schema_version: 0,
        attributes: { id: `id-${i}`, input: { value: String(i).padEnd(800, 'x'), type: 'string' } },
        sensitive_attributes: [],
      },
    ],
  })
  return Buffer.from(
    JSON.stringify({
      version: 4,
      terraform_version: '1.11.4',
      serial,
      lineage: 'bench',
      outputs: {},
      resources: Array.from({ length: Math.floor(BYTES / 1020) }, (_, i) => resource(i)),
    }),
  )
}

const server = await startBenchServer()
const { api, pid } = server
try {
  await api('POST', 'organizations', { type: 'organizations', attributes: { name: 'bench', email: 'b@example.com' } })
  const { id } = (await api('POST', 'organizations/bench/workspaces', { type: 'workspaces', attributes: { name: 'state' } })).data
  await api('POST', `workspaces/${id}/actions/lock`)
  const [uploads, processings, downloads] = [[], [], []]
  await pause(1000)
  const idle = memoryMegabytes(pid).now
  const peaks = { upload: 0, download: 0 }
  let bytes = 0
  for (let serial = 1; serial <= Number(values.rounds); serial++) {
    const state = makeState(serial)
    bytes = state.length
    const attributes = { serial, lineage: 'bench', md5: createHash('md5').update(state).digest('hex') }
    resetPeakMemory(pid)
    let started = performance.now()
    const version = (await api('POST', `workspaces/${id}/state-versions`, { type: 'state-versions', attributes })).data
    const answer = await fetch(version.attributes['hosted-state-upload-url'], { method: 'PUT', body: state })
    if (!answer.ok) throw new Error(`upload: ${answer.status} ${await answer.text()}`)
    uploads.push(performance.now() - started)
    started = performance.now()
    let made
    do {
      await pause(5)
      made = (await api('GET', `state-versions/${version.id}`)).data.attributes
    } while (!made['resources-processed'])
    processings.push(performance.now() - started)
    peaks.upload = Math.max(peaks.upload, memoryMegabytes(pid).peak)
    resetPeakMemory(pid)
    started = performance.now()
    const download = Buffer.from(await (await fetch(made['hosted-state-download-url'])).arrayBuffer())
    downloads.push(performance.now() - started)
    if (!download.equals(state)) throw new Error('the download is another state')
    peaks.download = Math.max(peaks.download, memoryMegabytes(pid).peak)
  }
  const result = {
    megabytes: bytes / 1e6,
    uploadMs: median(uploads),
    processingMs: median(processings),
    downloadMs: median(downloads),
    idleRssMegabytes: idle,
    uploadPeakRssMegabytes: peaks.upload,
    downloadPeakRssMegabytes: peaks.download,
  }
  printTable([
    [`upload of ${result.megabytes.toFixed(1)} MB, median`, `${result.uploadMs.toFixed(0)} ms`],
    ['until its resources are known, median', `${result.processingMs.toFixed(0)} ms`],
    ['download, median', `${result.downloadMs.toFixed(0)} ms`],
    ['RSS before', `${idle.toFixed(0)} MB`],
    ['peak RSS of uploads', `${peaks.upload.toFixed(0)} MB`],
    ['peak RSS of downloads', `${peaks.download.toFixed(0)} MB`],
  ])
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(result, null, 2))
} finally {
  await server.stop()
}
