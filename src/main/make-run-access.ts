import { readFile } from 'node:fs/promises'
import type { Accounts } from '../accounts/index.ts'
import { discoveryServices } from '../api/well-known.ts'
import type { Tx } from '../platform/db/database.ts'
import type { RunAccess } from '../runner/controller/index.ts'
import { buildCliConfig } from '../runner/engines/cli-config.ts'
import { terraformHostname } from './client-files.ts'
import type { Tables } from './schema.ts'

type Options = { accounts: Pick<Accounts, 'runTokens'>; publicUrl: string; engineCliConfigFile: string | undefined; trustPem?: string }

/** The CLI gives it this meaning by itself only where the configuration has a cloud block, which in a run ours has replaced. */
const ALIAS = 'localterraform.com'

/**
 * What engines know of this server and of others: the operator's CLI configuration, a token of the run, and the addresses of the services for
 * the name that stands for this server in sources of modules, and over plain HTTP, which terraform does not discover, for its own name too. Throws AppError INVALID for an operator's file that cannot be combined with that.
 */
export const makeRunAccess = async ({ accounts, publicUrl, engineCliConfigFile, trustPem = '' }: Options): Promise<RunAccess> => {
  const operatorConfig = engineCliConfigFile === undefined ? '' : await readFile(engineCliConfigFile, 'utf8')
  const host = terraformHostname(publicUrl)
  const services = Object.fromEntries(Object.entries(discoveryServices).map(([name, path]) => [name, `${publicUrl}${path}`]))
  const hosts = publicUrl.startsWith('http:') ? [ALIAS, host] : [ALIAS]
  const hostServices = hosts.map((name) => ({ host: name, services }))
  const configWith = (token: string): string => buildCliConfig({ operatorConfig, credentials: [{ host, token }], hostServices })
  configWith('checked at the start, not in the first run')

  return {
    grant: async (tx, { run }, until) => {
      const holder = { runId: run.id, workspaceId: run.workspaceId, organizationId: run.organizationId }
      const token = await accounts.runTokens.issue(withAllTables(tx), holder, until)
      return { cliConfig: configWith(token), redact: [token], trustPem }
    },
    revoke: (tx, runId) => accounts.runTokens.revoke(withAllTables(tx), runId),
  }
}

// safe because the composition root opens one database with the tables of every slice
const withAllTables = (tx: unknown): Tx<Tables> => tx as Tx<Tables>
