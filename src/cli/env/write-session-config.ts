import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { writeWholeFile } from '../../platform/write-whole-file.ts'
import type { ServerFiles } from '../server-files.ts'
import { collectUserConfig } from './user-config.ts'

type Env = Record<string, string | undefined>
type Input = { dataDir: string; files: ServerFiles; env: Env; home: string }

/** Names the file that TF_CLI_CONFIG_FILE meant before this command changed it, so that a second call carries it over again. */
const carriedVariable = 'TERRANE_CARRIED_CLI_CONFIG_FILE'

/**
 * Writes the CLI configuration for one shell session, env.tfrc: our host and credentials, and whatever the user's own configuration says,
 * since terraform reads nothing else then. Answers the variables that make terraform use it.
 */
export const writeSessionConfig = async ({
  dataDir,
  files,
  env,
  home,
}: Input): Promise<{ variables: Record<string, string>; notes: string[] }> => {
  const file = join(dataDir, 'env.tfrc')
  const given = env['TF_CLI_CONFIG_FILE']
  const outer = given && resolve(given) !== file ? given : env[carriedVariable]
  const { text, notes } = await collectUserConfig({
    env: { ...env, TF_CLI_CONFIG_FILE: outer },
    home,
    ownHost: files.hostname,
    ownFile: file,
  })
  await writeWholeFile(file, `${files.terraformRc}${text}`, 0o600)
  const variables: Record<string, string> = { TF_CLI_CONFIG_FILE: file, TF_CLOUD_HOSTNAME: files.hostname }
  if (outer) variables[carriedVariable] = resolve(outer)
  if (files.caPem !== undefined) variables['SSL_CERT_FILE'] = await writeTrust(dataDir, files.caPem, env['SSL_CERT_FILE'])
  return { variables, notes: notes.length === 0 ? [] : [`${file} takes the place of your own terraform configuration:`, ...notes] }
}

/** SSL_CERT_FILE takes the place of the system's file, but not of its directory; a file that the user named is kept. */
const writeTrust = async (dataDir: string, caPem: string, given: string | undefined): Promise<string> => {
  const file = join(dataDir, 'env-ca.pem')
  const others = given && resolve(given) !== file ? await readFile(given, 'utf8').catch(() => '') : ''
  await writeWholeFile(file, `${caPem}\n${others}`, 0o644)
  return file
}
