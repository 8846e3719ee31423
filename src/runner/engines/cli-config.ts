import { CliConfigSyntaxError, type CliConfigItem } from '../../platform/cli-config/cli-config-item.ts'
import { formatBlock } from '../../platform/cli-config/format-block.ts'
import { hostKey } from '../../platform/cli-config/host-key.ts'
import { parseCliConfig } from '../../platform/cli-config/parse-cli-config.ts'
import { AppError } from '../../platform/errors.ts'

export type RunCliConfig = {
  /** Content of the operator's file, native syntax or JSON: provider mirrors, credentials of private registries. */
  operatorConfig?: string
  credentials: { host: string; token: string }[]
  /** Service URLs of hosts that the engine shall not discover by itself, e.g. `tfe.v2` of this server on loopback HTTP. */
  hostServices?: { host: string; services: Record<string, string> }[]
}

/**
 * The CLI configuration of one run: the operator's entries as they are, then ours, since Terraform lets the later one win.
 * Throws AppError INVALID when the operator's text is malformed, or names a host's credentials twice or for a host that is ours.
 */
export const buildCliConfig = ({ operatorConfig = '', credentials, hostServices = [] }: RunCliConfig): string => {
  const operator = parseOperatorConfig(operatorConfig)
  const ours = credentials.map(({ host, token }) => ({ keys: ['credentials', host], text: formatBlock(['credentials', host], { token }) }))
  refuseDuplicates([...operator, ...ours])
  return [
    ...operator.map(({ text }) => text),
    ...ours.map(({ text }) => text),
    ...hostServices.map(({ host, services }) => formatBlock(['host', host], { services })),
    'disable_checkpoint = true',
    '',
  ].join('\n')
}

const parseOperatorConfig = (text: string): CliConfigItem[] => {
  try {
    return parseCliConfig(text)
  } catch (error) {
    if (!(error instanceof CliConfigSyntaxError)) throw error
    throw new AppError('INVALID', `The engine CLI configuration could not be read, ${error.message}. Correct the file.`)
  }
}

const refuseDuplicates = (items: CliConfigItem[]): void => {
  const seen = new Set<string>()
  for (const { keys } of items) {
    const [name = '', label = ''] = keys
    if (name !== 'credentials' && name !== 'provider_installation') continue
    const id = `${name} ${hostKey(label)}`
    if (seen.has(id)) {
      const what = name === 'credentials' ? `credentials for ${hostKey(label)}` : 'provider_installation'
      throw new AppError('INVALID', `The engine CLI configuration has ${what} twice, or this server sets it already. Keep one block.`)
    }
    seen.add(id)
  }
}
