import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

type Json = Record<string, unknown>
type Operation = { responses: Record<string, { content?: Record<string, { schema?: Json }>; headers?: Record<string, unknown> }> }
type OpenApi = { paths: Record<string, Record<string, Operation>> }

export type AnswerToCheck = {
  method: string
  /** Path of the address, without the query. */
  path: string
  status: number
  contentType: string | undefined
  /** Undefined: not looked at, as it is no JSON. */
  text: string | undefined
}

/**
 * Compares answers with an OpenAPI document. In the document objects are open, as clients must bear members that they do not know; here they are
 * closed, so that the document names everything that is sent. Throws with what is wrong.
 */
export const makeAnswerChecker = (document: Json): ((answer: AnswerToCheck) => void) => {
  const closed = close(document) as OpenApi
  const ajv = new Ajv2020.default({ strict: false, allErrors: true, validateFormats: true, validateSchema: false })
  addFormats.default(ajv)
  ajv.addSchema({ ...closed, $id: 'document' })
  const routes = Object.entries(closed.paths).map(([template, operations]) => ({ template, operations, pattern: patternOf(template) }))
  routes.sort((a, b) => (rankOf(a.template) < rankOf(b.template) ? -1 : 1))

  return (answer) => {
    const complaint = complaintAbout(answer)
    if (complaint !== undefined)
      throw new Error(
        `not what the OpenAPI document says: ${answer.method} ${answer.path} answered ${answer.status}: ${complaint}\n${answer.text?.slice(0, 2000) ?? ''}`,
      )
  }

  function complaintAbout({ method, path, status, contentType, text }: AnswerToCheck): string | undefined {
    const route = routes.find(({ pattern }) => pattern.test(path))
    const operation = route?.operations[method === 'HEAD' ? 'get' : method.toLowerCase()]
    if (route === undefined || operation === undefined) return status < 400 ? 'the operation is not in the document' : undefined
    const key = status in operation.responses ? String(status) : 'default'
    if (status < 400 && key === 'default') return `the document knows ${Object.keys(operation.responses).join(', ')}`
    const content = operation.responses[key]?.content
    if (method === 'HEAD') return undefined
    if (content === undefined) return (text ?? '') === '' ? undefined : 'there should be no body'
    if (contentType === undefined || !(contentType in content)) return `${contentType} is none of ${Object.keys(content).join(', ')}`
    if (content[contentType]?.schema === undefined || text === undefined) return undefined
    const place = ['paths', route.template, method.toLowerCase(), 'responses', key, 'content', contentType, 'schema']
    const validate = ajv.getSchema(`document#/${place.map(pointerPart).join('/')}`)
    if (validate === undefined) throw new Error(`no schema at ${place.join('/')}`)
    return validate(JSON.parse(text)) === true ? undefined : ajv.errorsText(validate.errors, { separator: '\n' })
  }
}

const pointerPart = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

const patternOf = (template: string): RegExp =>
  new RegExp(
    `^${template
      .split(/\{[^}]+\}/)
      .map((text) => text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&'))
      .join('[^/]+')}/?$`,
  )

/** Static segments come before parameters, as in the server. */
const rankOf = (template: string): string => template.replaceAll(/\{[^}]+\}/g, '\uffff')

/** Every object schema that names its members takes no others, unless it says that it does. */
const close = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(close)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, close(each)]))
  const isSchema = copy['type'] === 'object' && copy['properties'] !== undefined && copy['additionalProperties'] === undefined
  return isSchema ? { ...copy, additionalProperties: false } : copy
}
