import { z } from 'zod'
import { CliConfigSyntaxError, type CliConfigItem } from './cli-config-item.ts'
import { formatBlock, formatSetting, type CliConfigObject, type CliConfigValue } from './format-block.ts'

const value: z.ZodType<CliConfigValue> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.array(value), z.record(z.string(), value)]),
)
const document = z.record(z.string(), value)
const labelled = new Set(['credentials', 'host', 'credentials_helper'])

/**
 * The entries of a CLI configuration in JSON (`credentials.tfrc.json` and friends), their text translated to native syntax.
 * Throws CliConfigSyntaxError.
 */
export const parseJsonCliConfig = (text: string): CliConfigItem[] =>
  Object.entries(readDocument(text)).flatMap(([name, content]): CliConfigItem[] => {
    const objects = Array.isArray(content) ? content : [content]
    if (!objects.every(isObject)) {
      const setting = formatSetting(name, content)
      return [{ keys: [name], text: setting, ...(Array.isArray(content) ? {} : { value: setting.slice(setting.indexOf('=') + 2) }) }]
    }
    if (!labelled.has(name)) return objects.map((object) => ({ keys: [name], text: formatBlock([name], object) }))
    return objects.flatMap(Object.entries<CliConfigValue>).flatMap(([label, body]) => {
      if (!isObject(body)) throw new CliConfigSyntaxError(1, `each entry of "${name}" must be an object`)
      return [{ keys: [name, label], text: formatBlock([name, label], body) }]
    })
  })

const isObject = (content: CliConfigValue): content is CliConfigObject => typeof content === 'object' && !Array.isArray(content)

const readDocument = (text: string): CliConfigObject => {
  try {
    return document.parse(JSON.parse(text))
  } catch {
    throw new CliConfigSyntaxError(1, 'the file begins with "{" but is not valid JSON')
  }
}
