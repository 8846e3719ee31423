import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { create } from 'tar'
import { onTestFinished } from 'vitest'
import type { Api, Resource } from './api-client.ts'
import { type Cli, type CliOptions, type CliResult, startTerraform, terraform } from './terraform-cli.ts'
import type { TestServer } from './terrane-server.ts'
import { waitFor } from './wait-for.ts'

const ORGANIZATION = 'e2e'

/** A directory of terraform files whose state and runs are in one workspace of `server`. */
export type Project = {
  directory: string
  /** Name of the workspace. */
  name: string
  terraform(args: string[], options?: Omit<CliOptions, 'cliConfigFile'>): Promise<CliResult>
  start(args: string[], options?: Omit<CliOptions, 'cliConfigFile'>): Promise<Cli>
  write(files: Record<string, string>): Promise<void>
  workspace(): Promise<Resource>
  /** Newest first, speculative plans included. */
  runs(): Promise<Resource[]>
  run(id: string): Promise<Resource>
  /** Uploads `files` as a configuration, as a client of the API would, and answers a run of it. */
  uploadAndRun(files: Record<string, string>, attributes?: Record<string, unknown>): Promise<Resource>
  /** The run, once it has one of the statuses. */
  runIn(id: string, ...statuses: string[]): Promise<Resource>
  /** The whole log of a run's plan or apply, markers included. */
  log(run: Resource, phase: 'plan' | 'apply'): Promise<string>
  /** Addresses of the managed resources in the current state; empty when there is none. */
  resources(): Promise<StateResource[]>
}

export type StateResource = { address: string; isTainted: boolean }

type ProjectOptions = {
  name: string
  files: Record<string, string>
  /** Whose directory it is. Default: terraform. */
  program?: CliOptions['program']
  /** How the files name the server. */
  by?: 'cloud' | 'remote'
  /** Inside of the block that chooses workspaces. Default: the one called `name`. */
  workspaces?: string
}

/** Makes the directory, removed after the running test, and the organization. Does not run init. */
export const makeProject = async (
  server: TestServer,
  { name, files, program = 'terraform', by = 'cloud', workspaces = `name = "${name}"` }: ProjectOptions,
): Promise<Project> => {
  const directory = await makeDirectory({
    ...files,
    'backend.tf': backendBlock(by === 'cloud' ? 'cloud' : 'backend "remote"', server.hostname, workspaces),
  })
  const { api } = server
  await api.raw('POST', 'organizations', { type: 'organizations', attributes: { name: ORGANIZATION, email: 'e2e@example.com' } })
  const around = <T extends object>(options: T) => ({
    ...options,
    program,
    cliConfigFile: server.cliConfigFile,
    env: {
      ...(server.caFile === undefined ? {} : { SSL_CERT_FILE: server.caFile }),
      ...('env' in options ? (options.env as Record<string, string>) : {}),
    },
  })
  const workspace = async (): Promise<Resource> => (await api.call('GET', `organizations/${ORGANIZATION}/workspaces/${name}`)).data
  const run = async (id: string): Promise<Resource> => (await api.call('GET', `runs/${id}`)).data
  return {
    directory,
    name,
    terraform: (args, options = {}) => terraform(directory, args, around(options)),
    start: (args, options = {}) => startTerraform(directory, args, around(options)),
    write: (more) => writeFiles(directory, more),
    workspace,
    run,
    runs: async () => {
      const operations = 'plan_and_apply,plan_only,save_plan,refresh_only,destroy,empty_apply'
      return (await api.call('GET', `workspaces/${(await workspace()).id}/runs?filter[operation]=${operations}`)).data
    },
    uploadAndRun: async (files, attributes = {}) => {
      const { id } = await workspace()
      const { data: version } = await api.call('POST', `workspaces/${id}/configuration-versions`, {
        type: 'configuration-versions',
        attributes: { 'auto-queue-runs': false },
      })
      await api.put(String(version.attributes['upload-url']), await packFiles(files))
      const relationships = {
        workspace: { data: { type: 'workspaces', id } },
        'configuration-version': { data: { type: 'configuration-versions', id: version.id } },
      }
      return (await api.call('POST', 'runs', { type: 'runs', attributes, relationships })).data
    },
    runIn: (id, ...statuses) =>
      waitFor(
        async () => {
          const found = await run(id)
          return statuses.includes(String(found.attributes['status'])) ? found : undefined
        },
        { timeoutMs: 90_000, everyMs: 100, what: `run ${id} in ${statuses.join(' or ')}` },
      ),
    log: async (of, phase) => {
      const related = of.relationships?.[phase]?.data
      if (related === undefined || related === null || Array.isArray(related)) throw new Error(`the run has no ${phase}`)
      const { data } = await api.call('GET', `${related.type}/${related.id}`)
      return readAll(api, String(data.attributes['log-read-url']))
    },
    resources: async () => {
      const current = await api.raw('GET', `workspaces/${(await workspace()).id}/current-state-version`)
      if (current.status === 404) return []
      return readResources((await api.bytes(String(current.body.data.attributes['hosted-state-download-url']))).toString('utf8'))
    },
  }
}

/** As the CLI reads: piece after piece, until one is empty. */
const readAll = async (api: Api, url: string): Promise<string> => {
  const parts: Buffer[] = []
  let offset = 0
  for (;;) {
    const part = await api.bytes(`${url}?limit=65536&offset=${offset}`)
    if (part.length === 0) return Buffer.concat(parts).toString('utf8')
    parts.push(part)
    offset += part.length
  }
}

/** A temporary directory with `files`, removed after the running test. */
export const makeDirectory = async (files: Record<string, string>): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'terrane-project-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  await writeFiles(directory, files)
  return directory
}

const packFiles = async (files: Record<string, string>): Promise<Buffer> => {
  const directory = await makeDirectory(files)
  const parts: Buffer[] = []
  for await (const part of create({ cwd: directory, gzip: true, portable: true }, Object.keys(files))) parts.push(part)
  return Buffer.concat(parts)
}

const writeFiles = async (directory: string, files: Record<string, string>): Promise<void> => {
  for (const [path, text] of Object.entries(files)) {
    const file = join(directory, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

const backendBlock = (kind: string, hostname: string, workspaces: string): string => `terraform {
  ${kind} {
    hostname     = "${hostname}"
    organization = "${ORGANIZATION}"
    workspaces {
      ${workspaces}
    }
  }
}
`

type StateFile = {
  resources: { module?: string; mode: string; type: string; name: string; instances: { index_key?: string | number; status?: string }[] }[]
}

const readResources = (text: string): StateResource[] =>
  (JSON.parse(text) as StateFile).resources
    .filter(({ mode }) => mode === 'managed')
    .flatMap(({ module, type, name, instances }) =>
      instances.map(({ index_key: key, status }) => ({
        address: `${module === undefined ? '' : `${module}.`}${type}.${name}${key === undefined ? '' : `[${JSON.stringify(key)}]`}`,
        isTainted: status === 'tainted',
      })),
    )
