import type { Relationship } from '../../src/api/index.ts'

/** A resource as a client reads it. */
export type TestResource = {
  type: string
  id: string
  attributes: Record<string, unknown>
  relationships: Record<string, Relationship>
  links?: Record<string, string | null>
}

type ErrorObject = { status: string; title: string; detail?: string; source?: { pointer?: string; parameter?: string } }

export type Answer = {
  status: number
  headers: Headers
  text: string
  /** `data` as one resource, or as a list; they throw when it is not. */
  one: () => TestResource
  many: () => TestResource[]
  included: TestResource[]
  meta: Record<string, unknown>
  links: Record<string, string | null>
  errors: ErrorObject[]
}

type Document = {
  data?: TestResource | TestResource[] | null
  included?: TestResource[]
  meta?: Record<string, unknown>
  links?: Record<string, string | null>
  errors?: ErrorObject[]
}

/** Reads the whole answer; a body that is no JSON is only in `text`. */
export const readAnswer = async (response: Response): Promise<Answer> => {
  const text = await response.text()
  const isJson = (response.headers.get('content-type') ?? '').includes('json')
  const document = (isJson && text !== '' ? JSON.parse(text) : {}) as Document
  const { data } = document
  return {
    status: response.status,
    headers: response.headers,
    text,
    one: () => {
      if (data === undefined || data === null || Array.isArray(data)) throw new Error(`not one resource: ${response.status} ${text}`)
      return data
    },
    many: () => {
      if (!Array.isArray(data)) throw new Error(`not a list: ${response.status} ${text}`)
      return data
    },
    included: document.included ?? [],
    meta: document.meta ?? {},
    links: document.links ?? {},
    errors: document.errors ?? [],
  }
}
