import { homedir } from 'node:os'
import { AppError } from '../../platform/errors.ts'
import { text, type CommandInput } from '../command.ts'
import { dataDirectory } from '../data-directory.ts'
import { readServerFiles } from '../server-files.ts'
import { defaultOrganization } from './default-organization.ts'
import { installConfig, installedFile, removeConfig } from './install-config.ts'
import { shellQuote } from './shell-quote.ts'
import { writeSessionConfig } from './write-session-config.ts'

/** Prints what makes terraform talk to the server of a data directory. */
export const runEnv = async ({ options, env, output }: CommandInput<'data' | 'install' | 'remove' | 'json'>): Promise<void> => {
  const home = env['HOME'] || homedir()
  if (options.install && options.remove) throw new AppError('INVALID', 'Give either --install or --remove.')
  if (options.remove) {
    const file = installedFile(home)
    const removed = await removeConfig(home)
    if (options.json) output.json({ file, removed })
    else output.print(removed ? `removed ${file}` : `${file} does not exist: nothing to remove`)
    return
  }

  const dataDir = dataDirectory(text(options.data), env)
  const files = await readServerFiles(dataDir)
  const organization = await defaultOrganization(files)
  const target: Record<string, string> = { TF_CLOUD_HOSTNAME: files.hostname }
  if ('name' in organization) target['TF_CLOUD_ORGANIZATION'] = organization.name
  else output.note(`TF_CLOUD_ORGANIZATION is left out: ${organization.problem}`)

  if (options.install) {
    const file = await installConfig(files, home)
    const given = env['TF_CLI_CONFIG_FILE'] || env['TERRAFORM_CONFIG']
    if (given) output.note(`TF_CLI_CONFIG_FILE is set (${given}): while it is, terraform reads that file alone and not ${file}. Unset it.`)
    if (files.caPem !== undefined)
      output.note(`terraform must trust the server's authority: export SSL_CERT_FILE=${shellQuote(`${dataDir}/ca.pem`)}`)
    if (options.json) return output.json({ file, ...target })
    output.print(`wrote ${file}`)
    return output.note(
      `In the cloud block: hostname = "${files.hostname}"${'name' in organization ? `, organization = "${organization.name}"` : ''}`,
    )
  }

  const { variables, notes } = await writeSessionConfig({ dataDir, files, env, home })
  for (const note of notes) output.note(note)
  const all = { ...variables, ...target }
  if (options.json) return output.json(all)
  for (const [name, value] of Object.entries(all)) output.print(`export ${name}=${shellQuote(value)}`)
}
