import type { Hono } from 'hono'
import { accountEndpoints, accountLoaders, makeAccounts, type Accounts } from '../accounts/index.ts'
import { joinLoaders, type Endpoint } from '../api/index.ts'
import { discoveryEndpoint } from '../api/well-known.ts'
import { openApiEndpoint } from '../api/openapi/open-api-endpoint.ts'
import { pingEndpoint } from '../api/ping.ts'
import { makeApi } from '../api/server.ts'
import { makeOrganizations, organizationEndpoints, organizationLoaders, type Organizations } from '../organizations/index.ts'
import type { Log } from '../platform/log.ts'
import { activeAuthority, makeExecutor, type Allocator } from '../runner/controller/index.ts'
import { hashicorpKeys } from '../runner/engines/hashicorp-key.ts'
import { makeEngines } from '../runner/engines/make-engines.ts'
import type { Ca } from '../runner/pki/ca.ts'
import { scanSlug } from '../runner/slug/scan-slug.ts'
import { makeCurrentRunSql, makeRunEndpoints, makeRunLoaders, makeRuns, makeStatePort, type RunDeps } from '../runs/index.ts'
import { makeSshKeys, sshKeyEndpoints } from '../ssh-keys/index.ts'
import { makeState, workspaceOutputType } from '../state/index.ts'
import { loadAssets, makeUi } from '../ui/index.ts'
import { makeVariableSets, variableSetEndpoints, variableSetLoaders } from '../variable-sets/index.ts'
import { makeOrganizationPorts, makeWorkspaces, workspaceEndpoints, workspaceLoaders } from '../workspaces/index.ts'
import { terraformHostname } from './client-files.ts'
import { makeBackground } from './background.ts'
import { composePlatform } from './compose-platform.ts'
import { composeRunners } from './compose-runners.ts'
import { makeMaintenance } from './maintenance.ts'
import { makeRunAccess } from './make-run-access.ts'
import type { ServerConfig } from './config.ts'

export type Terrane = {
  app: Hono
  /** All that the app answers, for the documents made of them. */
  endpoints: readonly Endpoint[]
  accounts: Accounts
  /** Signs the server's own certificate with `--tls self`. */
  serverAuthority(): Promise<Ca>
  start(): Promise<void>
  stop(): Promise<void>
}

const CONFIGURATION_BYTES = 512 * 1024 * 1024
/** Read by clients that take us for Terraform Enterprise; `vYYYYMM-N` from 202302 on turns their structured run output on. */
const TFE_VERSION = 'v202501-1'

/** Wires everything: the one place that knows every slice. Ports to later slices are closures, as those are made further down. */
export const compose = async (config: ServerConfig, log: Log): Promise<Terrane> => {
  const platform = await composePlatform(config, log)
  const { db, clock, outbox, envelope, blobs, signedUrls } = platform
  const engines = makeEngines({
    directory: config.engineDir,
    releaseMirrorUrl: config.releaseMirrorUrl,
    searchPath: process.env['PATH'] ?? '',
    trustedKeys: hashicorpKeys,
    log,
    clock,
  })

  const accounts: Accounts = makeAccounts({
    db,
    clock,
    outbox,
    log,
    organizations: {
      find: (id) => organizations.findOrganizationById(id),
      authorizeTokens: (ctx, id, kind) => organizations.authorizeTokens(ctx, id, kind),
      findTeam: (id) => organizations.teams.findTeamById(id),
      authorizeTeamTokens: (ctx, id) => organizations.teams.authorizeTeamTokens(ctx, id),
    },
  })
  const organizations: Organizations = makeOrganizations({
    db,
    clock,
    outbox,
    accounts,
    log,
    ...makeOrganizationPorts(db),
    runCounts: (id) => runs.countRuns(id),
  })
  const { authorize, permissionsOf, workspaceGrants } = organizations
  const state = makeState({ db, clock, outbox, envelope, blobs, authorize, permissionsOf, signedUrls, runs: makeStatePort(db), log })
  const workspaces = makeWorkspaces({
    db,
    clock,
    outbox,
    envelope,
    authorize,
    permissionsOf,
    workspaceGrants,
    seesTeam: organizations.teams.seesTeam,
    engineVersions: engines,
    ports: { stateOf: state.stateOf, currentRun: makeCurrentRunSql(db) },
  })
  const { getOrganization, getProject } = organizations
  const sshKeys = makeSshKeys({ db, clock, outbox, envelope, authorize, getOrganization })
  const variableSets = makeVariableSets({ db, clock, outbox, envelope, authorize, permissionsOf, getOrganization, getProject })
  const access = await makeRunAccess({
    accounts,
    publicUrl: config.publicUrl,
    engineCliConfigFile: config.engineCliConfigFile,
    ...(config.tls.mode === 'self' ? { trustPem: (await activeAuthority(platform, 'server')).certificatePem } : {}),
  })
  let allocator: Allocator | undefined
  const runDeps: RunDeps = {
    db,
    clock,
    log,
    blobs,
    envelope,
    emit: outbox.emit,
    authorize,
    permissionsOf,
    workspaceGrants,
    workspaces,
    sshKeys,
    variableSets,
    state: { promoteRunState: async (tx, workspaceId, runId) => void (await state.promoteRunState(tx, workspaceId, runId)) },
    executor: makeExecutor({
      clock,
      access,
      capacity: config.runnerCapacity,
      signals: { pending: () => allocator?.signals.pending(), changed: (id) => allocator?.signals.changed(id) },
    }),
    engines,
    signedUrls,
    publicUrl: config.publicUrl,
    limits: { configurationBytes: CONFIGURATION_BYTES, forceCancelCoolOffMs: config.forceCancelCoolOffMs },
  }
  const runs = makeRuns({ ...runDeps, scanArchive: async (archive) => void (await scanSlug(archive)) })
  const runners = composeRunners(config, platform, { runDeps, state, engines, access })
  allocator = runners.allocator
  const maintenance = makeMaintenance({ platform, dataDir: config.dataDir, workspaces, state, runs })
  const background = makeBackground({ outbox, jobs: platform.jobs, leases: platform.leases, runs, log })

  const described = [
    discoveryEndpoint,
    pingEndpoint,
    ...accountEndpoints(accounts),
    ...organizationEndpoints(organizations),
    ...workspaceEndpoints(workspaces),
    ...sshKeyEndpoints(sshKeys, workspaces),
    ...variableSetEndpoints(variableSets),
    ...state.endpoints,
    ...makeRunEndpoints(runs, { configurationBytes: CONFIGURATION_BYTES }),
  ]
  const endpoints = [...described, openApiEndpoint(described, [workspaceOutputType])]
  const ui = makeUi({
    accounts,
    organizations,
    workspaces,
    runs,
    state,
    outbox,
    assets: await loadAssets(log),
    publicUrl: config.publicUrl,
    hostname: terraformHostname(config.publicUrl),
    isBehindProxy: config.tls.mode === 'none' && config.publicUrl.startsWith('https:'),
    log,
    clock,
  })

  const app = makeApi({
    endpoints,
    loaders: joinLoaders(
      accountLoaders(accounts),
      organizationLoaders(organizations),
      workspaceLoaders(workspaces),
      variableSetLoaders(variableSets),
      state.loaders,
      makeRunLoaders(runDeps),
    ),
    authenticate: accounts.authenticate,
    publicUrl: config.publicUrl,
    log,
    clock,
    appName: config.appName,
    tfeVersion: TFE_VERSION,
    extraRoutes: ui,
  })

  return {
    app,
    endpoints,
    accounts,
    serverAuthority: () => activeAuthority(platform, 'server'),
    start: async () => {
      await outbox.start()
      await state.resumeProcessing()
      await platform.presence?.start()
      // A SQLite file has one server: whoever had jobs before is gone.
      allocator?.start({ isAlone: config.databaseUrl === undefined })
      background.start()
      await maintenance.start()
    },
    stop: async () => {
      await background.stop()
      await allocator?.stop()
      await platform.presence?.stop()
      await runners.placement.close()
      await accounts.stop()
      await outbox.stop()
      await db.close()
      platform.release()
    },
  }
}
