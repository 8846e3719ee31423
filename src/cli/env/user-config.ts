import { readdir, readFile, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CliConfigSyntaxError, type CliConfigItem } from '../../platform/cli-config/cli-config-item.ts'
import { hostKey } from '../../platform/cli-config/host-key.ts'
import { mergeCliConfigs } from '../../platform/cli-config/merge-cli-configs.ts'
import { parseCliConfig } from '../../platform/cli-config/parse-cli-config.ts'

type Input = {
  /** The user's environment: TF_CLI_CONFIG_FILE, or TERRAFORM_CONFIG as Terraform's older name for it. */
  env: Record<string, string | undefined>
  home: string
  /** The host that the generated file defines itself. */
  ownHost: string
  /** Path of the generated file, which is never read as a source. */
  ownFile: string
}

/** `text` is valid on its own and may be followed by more entries. It may hold tokens; the notes, for stderr, hold none. */
export type UserConfig = { text: string; notes: string[] }

/**
 * What the user's own Terraform CLI configuration says, for a file that is about to take its place through TF_CLI_CONFIG_FILE.
 * Sources in Terraform's order: that variable's file alone when it is set, else ~/.terraformrc and then the *.tfrc and *.tfrc.json files
 * of ~/.terraform.d, `credentials.tfrc.json` among them. A source that cannot be used gives a note, not an error.
 */
export const collectUserConfig = async ({ env, home, ownHost, ownFile }: Input): Promise<UserConfig> => {
  const notes: string[] = []
  const given = env['TF_CLI_CONFIG_FILE'] || env['TERRAFORM_CONFIG']
  const own = await canonical(ownFile)
  const usesOwn = given !== undefined && (await canonical(given)) === own
  const paths = given !== undefined && !usesOwn ? [resolve(given)] : await defaultSources(home)

  const sources: { path: string; items: CliConfigItem[] }[] = []
  for (const path of paths) {
    if ((await canonical(path)) === own) continue
    try {
      sources.push({ path, items: parseCliConfig(await readFile(path, 'utf8')) })
    } catch (error) {
      if (isCode(error, 'ENOENT') && given === undefined) continue
      notes.push(`${path} is not carried over: ${problem(error)}`)
    }
  }

  const merged = mergeCliConfigs(sources.map(({ items }) => items.filter((item) => !isOfHost(item, ownHost))))
  const parts = sources.flatMap(({ path }, index) => {
    const items = merged[index] ?? []
    if (items.length === 0) return []
    notes.push(`carried over from ${path}: ${items.map(({ keys }) => keys.join(' ')).join(', ')}`)
    return [`# from ${JSON.stringify(path)}`, ...items.map(({ text }) => text)]
  })
  return { text: parts.map((part) => `${part}\n`).join(''), notes }
}

const defaultSources = async (home: string): Promise<string[]> => {
  const directory = join(home, '.terraform.d')
  const names = await readdir(directory).catch(() => [])
  return [
    join(home, '.terraformrc'),
    ...names
      .filter((name) => /\.tfrc(\.json)?$/.test(name))
      .sort()
      .map((name) => join(directory, name)),
  ]
}

const isOfHost = ({ keys: [name, label] }: CliConfigItem, host: string): boolean =>
  (name === 'credentials' || name === 'host') && label !== undefined && hostKey(label) === hostKey(host)

const canonical = (path: string): Promise<string> => realpath(path).catch(() => resolve(path))

const isCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code

const problem = (error: unknown): string => {
  if (error instanceof CliConfigSyntaxError) return error.message
  if (isCode(error, 'ENOENT')) return 'the file does not exist'
  return `it cannot be read${error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''}`
}
