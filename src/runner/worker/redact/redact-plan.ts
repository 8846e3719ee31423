import { collectMarked } from './collect-marked.ts'
import { type Json, rewriteJson } from './lossless-json.ts'
import { isObject, type JsonObject, objectAt, redactConfiguration, textAt } from './redact-configuration.ts'
import { type Redactor, redactValue } from './redact-value.ts'

/**
 * Redacts `terraform show -json PLAN`: same keys, with sensitive values replaced and the masks kept; `hide` is applied to
 * the other values. Adds `plan_format_version`, the name under which clients of `json-output-redacted` look for
 * `format_version`. Text of numbers is preserved. `providers` are the names of those that changes and drift are of. Throws SyntaxError
 * when `text` is not JSON. Pure but for the time it takes.
 */
export const redactPlan = (text: string, hide: (text: string) => string): { text: string; providers: string[] } => {
  let providers: string[] = []
  const redacted = rewriteJson(text, (plan) => {
    if (!isObject(plan)) return plan
    providers = providersOf(plan)
    const secrets = new Set<string>()
    collectSecrets(plan, secrets)
    for (const [name, variable] of Object.entries(objectAt(plan, 'variables')))
      if (isObject(variable)) collectMarked(variable['value'] ?? null, isSensitive(plan, name), secrets)
    const redactor: Redactor = { hide, isSecret: (value) => secrets.has(value) }
    const redacted: JsonObject = {}
    for (const [key, value] of Object.entries(plan)) {
      if (key === 'variables') redacted[key] = redactVariables(value, plan, redactor)
      else if (key === 'configuration' && isObject(value)) redacted[key] = redactConfiguration(value, sensitiveAttributes(plan), redactor)
      else redacted[key] = redactNode(value, redactor)
    }
    return { plan_format_version: plan['format_version'] ?? '', ...redacted }
  })
  return { text: redacted, providers }
}

const changesOf = (plan: JsonObject): JsonObject[] =>
  [plan['resource_changes'], plan['resource_drift']].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isObject)

const providersOf = (plan: JsonObject): string[] => [...new Set(changesOf(plan).map((change) => textAt(change, 'provider_name')))].sort()

/** Siblings: the key of a value and the key of its mask, see `internal/command/jsonplan` and `jsonstate` of Terraform. */
const MASKS: [string, string][] = [
  ['before', 'before_sensitive'],
  ['after', 'after_sensitive'],
  ['values', 'sensitive_values'],
  ['value', 'sensitive'],
  ['config_values', 'config_sensitive'],
]
/** Values without a mask of their own. */
const UNMASKED = new Set(['generated_config', 'importing', 'before_identity', 'after_identity', 'identity'])

const maskKeyOf = (node: JsonObject, key: string): string | undefined => MASKS.find(([name, mask]) => name === key && mask in node)?.[1]

const collectSecrets = (node: Json, found: Set<string>): void => {
  if (Array.isArray(node)) for (const item of node) collectSecrets(item, found)
  if (!isObject(node)) return
  for (const [key, value] of Object.entries(node)) {
    const maskKey = maskKeyOf(node, key)
    if (maskKey === undefined) collectSecrets(value, found)
    else collectMarked(value, node[maskKey], found)
  }
}

const redactNode = (node: Json, redactor: Redactor): Json => {
  if (Array.isArray(node)) return node.map((item) => redactNode(item, redactor))
  if (!isObject(node)) return node
  const redacted: JsonObject = {}
  for (const [key, value] of Object.entries(node)) {
    const maskKey = maskKeyOf(node, key)
    if (maskKey !== undefined) redacted[key] = redactValue(value, node[maskKey], redactor, key === 'after' ? node['before'] : undefined)
    else if (key.endsWith('_sensitive') || key === 'sensitive_values') redacted[key] = value
    else redacted[key] = UNMASKED.has(key) ? redactValue(value, false, redactor) : redactNode(value, redactor)
  }
  return redacted
}

const isSensitive = (plan: JsonObject, variable: string): boolean =>
  objectAt(objectAt(objectAt(objectAt(plan, 'configuration'), 'root_module'), 'variables'), variable)['sensitive'] === true

const redactVariables = (variables: Json, plan: JsonObject, redactor: Redactor): Json => {
  if (!isObject(variables)) return variables
  return Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => [
      name,
      isObject(variable) && variable['value'] !== undefined
        ? { ...variable, value: redactValue(variable['value'], isSensitive(plan, name), redactor) }
        : variable,
    ]),
  )
}

/** Attributes that are sensitive, or hold something that is, by resource address without instance keys. */
const sensitiveAttributes = (plan: JsonObject): Map<string, Set<string>> => {
  const found = new Map<string, Set<string>>()
  for (const item of changesOf(plan)) {
    const address = textAt(item, 'address').replaceAll(/\[(?:"(?:[^"\\]|\\.)*"|[^\]]*)\]/g, '')
    const attributes = found.get(address) ?? new Set()
    for (const mask of [objectAt(item, 'change')['before_sensitive'], objectAt(item, 'change')['after_sensitive']])
      for (const [name, part] of Object.entries(isObject(mask) ? mask : {})) if (holdsTrue(part)) attributes.add(name)
    found.set(address, attributes)
  }
  return found
}

const holdsTrue = (mask: Json): boolean =>
  mask === true || (typeof mask === 'object' && mask !== null && Object.values(mask).some(holdsTrue))
