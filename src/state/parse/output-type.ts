const BY_CONSTRUCTOR: Record<string, string> = {
  string: 'string',
  number: 'number',
  bool: 'boolean',
  list: 'array',
  set: 'array',
  tuple: 'array',
  map: 'object',
  object: 'object',
}

const BY_FIRST_CHARACTER: Record<string, string> = { '"': 'string', t: 'boolean', f: 'boolean', '[': 'array', '{': 'object', n: 'string' }

/**
 * `string`, `number`, `boolean`, `array` or `object`: from Terraform's type expression (`"bool"`, `["list","string"]`), and where that is
 * missing or `"dynamic"` from the JSON text of the value. An untyped null is called a string.
 */
export const outputType = (detailedType: string | undefined, value: string): string => {
  const expression: unknown = detailedType === undefined ? undefined : JSON.parse(detailedType)
  const constructor: unknown = Array.isArray(expression) ? expression[0] : expression
  const known = typeof constructor === 'string' && Object.hasOwn(BY_CONSTRUCTOR, constructor) ? BY_CONSTRUCTOR[constructor] : undefined
  return known ?? BY_FIRST_CHARACTER[value.charAt(0)] ?? 'number'
}
