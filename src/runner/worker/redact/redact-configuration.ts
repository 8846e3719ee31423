import type { Json } from './lossless-json.ts'
import { type Redactor, redactValue } from './redact-value.ts'

export type JsonObject = { [key: string]: Json }

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const objectAt = (value: JsonObject, key: string): JsonObject => (isObject(value[key]) ? value[key] : {})

export const textAt = (value: JsonObject, key: string): string => (typeof value[key] === 'string' ? value[key] : '')

/**
 * The `configuration` part of a plan: constants given to sensitive variables, outputs and attributes, and all constants of
 * provider blocks, for which the plan does not say what is sensitive. `sensitiveAttributes` is keyed by resource address
 * without instance keys.
 */
export const redactConfiguration = (
  configuration: JsonObject,
  sensitiveAttributes: ReadonlyMap<string, ReadonlySet<string>>,
  redactor: Redactor,
): JsonObject => {
  const module = (node: JsonObject, prefix: string): JsonObject => {
    const variables = objectAt(node, 'variables')
    const redacted: JsonObject = { ...node }
    if (isObject(node['variables'])) redacted['variables'] = mapValues(variables, (variable) => redactDefault(variable, redactor))
    if (isObject(node['outputs']))
      redacted['outputs'] = mapValues(node['outputs'], (item) => constants(item, isObject(item) && item['sensitive'] === true, redactor))
    if (Array.isArray(node['resources'])) redacted['resources'] = node['resources'].map((item) => resource(item, prefix))
    if (isObject(node['module_calls']))
      redacted['module_calls'] = mapValues(node['module_calls'], (call, name) => moduleCall(call, `${prefix}module.${name}.`))
    return redacted
  }

  const resource = (item: Json, prefix: string): Json => {
    if (!isObject(item)) return item
    const sensitive = sensitiveAttributes.get(`${prefix}${textAt(item, 'address')}`)
    const expressions = mapValues(objectAt(item, 'expressions'), (expression, attribute) =>
      constants(expression, sensitive?.has(attribute) === true, redactor),
    )
    const rest = Object.fromEntries(Object.entries(item).map(([key, value]) => [key, constants(value, false, redactor)]))
    return { ...rest, ...('expressions' in item ? { expressions } : {}) }
  }

  const moduleCall = (call: Json, prefix: string): Json => {
    if (!isObject(call)) return call
    const called = objectAt(call, 'module')
    const variables = objectAt(called, 'variables')
    const expressions = mapValues(objectAt(call, 'expressions'), (expression, name) =>
      constants(expression, objectAt(variables, name)['sensitive'] === true, redactor),
    )
    return { ...call, ...('expressions' in call ? { expressions } : {}), module: module(called, prefix) }
  }

  return {
    ...configuration,
    ...('provider_config' in configuration
      ? { provider_config: mapValues(objectAt(configuration, 'provider_config'), (provider) => constants(provider, true, redactor)) }
      : {}),
    ...('root_module' in configuration ? { root_module: module(objectAt(configuration, 'root_module'), '') } : {}),
  }
}

const redactDefault = (variable: Json, redactor: Redactor): Json =>
  isObject(variable) && variable['default'] !== undefined
    ? { ...variable, default: redactValue(variable['default'], variable['sensitive'] === true, redactor) }
    : variable

/** Constants anywhere in an expression. */
const constants = (node: Json, sensitive: boolean, redactor: Redactor): Json => {
  if (Array.isArray(node)) return node.map((item) => constants(item, sensitive, redactor))
  if (!isObject(node)) return node
  return mapValues(node, (value, key) =>
    key === 'constant_value' ? redactValue(value, sensitive, redactor) : constants(value, sensitive, redactor),
  )
}

const mapValues = (object: JsonObject, change: (value: Json, key: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))
