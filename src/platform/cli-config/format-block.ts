export type CliConfigValue = string | number | boolean | CliConfigValue[] | CliConfigObject
export type CliConfigObject = { [key: string]: CliConfigValue }

/** A block of a Terraform CLI configuration in native syntax, e.g. `credentials "host" { token = "…" }`. */
export const formatBlock = (keys: string[], body: CliConfigObject, indent = ''): string => {
  const [name = '', ...labels] = keys
  const head = [formatKey(name), ...labels.map(quote)].join(' ')
  const lines = Object.entries(body).map(([key, value]) => formatSetting(key, value, `${indent}  `))
  return [`${indent}${head} {`, ...lines, `${indent}}`].join('\n')
}

/** One line `key = value`; objects become nested blocks, which Terraform reads the same and `provider_installation` insists on. */
export const formatSetting = (key: string, value: CliConfigValue, indent = ''): string => {
  const objects = Array.isArray(value) ? value : [value]
  if (objects.length > 0 && objects.every(isObject)) return objects.map((object) => formatBlock([key], object, indent)).join('\n')
  return `${indent}${formatKey(key)} = ${formatValue(value)}`
}

const isObject = (value: CliConfigValue): value is CliConfigObject => typeof value === 'object' && !Array.isArray(value)

const formatValue = (value: CliConfigValue): string => {
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `[${value.map(formatValue).join(', ')}]`
  if (isObject(value))
    return `{ ${Object.entries(value)
      .map(([key, inner]) => `${quote(key)} = ${formatValue(inner)}`)
      .join(', ')} }`
  return String(value)
}

const formatKey = (key: string): string => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? key : quote(key))

/** JSON's escapes are a subset of Terraform's; `${` would start an interpolation. */
const quote = (text: string): string => JSON.stringify(text).replaceAll('${', '\\u0024{')
